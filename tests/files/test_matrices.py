"""Matrices in, sign vectors out: exact text, nothing unpickled, nothing half written."""

import io
import json
import os
import stat
import sys
import threading
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from strategies import matrices

from arrangements import SignVectors, chambers
from arrangements.certificates.one_sign_vector import feasible
from arrangements.errors import InputError
from arrangements.files.atomic import atomic_write, remove_temporaries
from arrangements.files.lines import csv_lines, quote_names, sign_lines, text_tops, write_signs
from arrangements.files.matrices import load_matrix, load_source, load_vector
from arrangements.files.names import load_names
from arrangements.files.paths import check_output, check_writable

MATRIX = np.array([[1.5, -2.0], [0.1, 3.0]])


def write(folder: Path, name: str, content: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def npy_bytes(array: Any, **options: Any) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, **options)
    return stream.getvalue()


def npz_bytes(**arrays: Any) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def on_stdin(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))


@pytest.mark.parametrize("dtype", [np.int64, np.float16, np.float32, np.float64])
def test_npy_and_npz_round_trip(tmp_path: Path, dtype: type) -> None:
    array = MATRIX.astype(dtype)
    for name, content in [("w.npy", npy_bytes(array)), ("w.npz", npz_bytes(W=array))]:
        loaded = load_matrix(write(tmp_path, name, content))
        assert loaded.dtype == dtype
        assert np.array_equal(loaded, array)


def test_key_chooses_an_array(tmp_path: Path) -> None:
    path = write(tmp_path, "w.npz", npz_bytes(W=MATRIX, b=np.ones(2)))
    assert np.array_equal(load_matrix(path, "W"), MATRIX)
    assert np.array_equal(load_vector(path, "b"), np.ones(2))
    assert np.array_equal(load_matrix(path), MATRIX)
    assert np.array_equal(load_vector(path), np.ones(2))
    with pytest.raises(InputError, match=r"no array 'c'; its keys are: W \(2 x 2\), b \(2\)"):
        load_matrix(path, "c")


@pytest.mark.parametrize("name", ["w.txt", "w.csv", "W.TXT"])
@pytest.mark.parametrize(
    "text",
    ["1 2\n-3 4\n", "1,2\n-3,4", "# w\n1, 2\n\n-3 ,+4  # last\n", "\ufeff1\t2\r\n-3 4\r\n"],
)
def test_text_layouts(tmp_path: Path, name: str, text: str) -> None:
    loaded = load_matrix(write(tmp_path, name, text))
    assert loaded.dtype == np.int64
    assert loaded.tolist() == [[1, 2], [-3, 4]]


def test_text_is_exact(tmp_path: Path) -> None:
    text = f"1/3 {2**63} 0.1\n-2/4 {2**53 + 1} 1e-300\n"
    loaded = load_matrix(write(tmp_path, "w.txt", text))
    assert loaded.tolist() == [
        [Fraction(1, 3), 2**63, 0.1],
        [Fraction(-1, 2), 2**53 + 1, 1e-300],
    ]
    assert [type(value) for value in loaded[1]] == [Fraction, int, float]


@given(rows=matrices())
def test_text_round_trip(tmp_path_factory: pytest.TempPathFactory, rows: list[list[Any]]) -> None:
    text = "\n".join(" ".join(str(value) for value in row) for row in rows)
    path = write(tmp_path_factory.mktemp("text"), "w.txt", text)
    assert load_matrix(path).tolist() == rows


@pytest.mark.parametrize(
    ("text", "rows", "names"),
    [
        (",x,y\n0,1,2\n1,3,4\n", [[1, 2], [3, 4]], None),
        (",0,1\n0,1,2\n1,3,4\n", [[1, 2], [3, 4]], None),
        (",x,y\n1,1,2\n0,3,4\n", [[1, 2], [3, 4]], ["1", "0"]),
        (',x,y\ncat,1,2\n"sea, lion",3,4\n', [[1, 2], [3, 4]], ["cat", "sea, lion"]),
        ('label,x\ncat,1\n"the ""C#""",1/2\n', [[1], [Fraction(1, 2)]], ["cat", 'the "C#"']),
        ("cat 1 2\ndog 3 4 # old\n", [[1, 2], [3, 4]], ["cat", "dog"]),
        ("cat,1\ncat,2\ncat (2),3\n", [[1], [2], [3]], ["cat", "cat", "cat (2)"]),
        ('"1","2"\n"-3", 4\n', [[1, 2], [-3, 4]], None),
    ],
)
def test_names_beside_the_numbers(
    tmp_path: Path, text: str, rows: list[list[Any]], names: list[str] | None
) -> None:
    path = write(tmp_path, "w.csv", text)
    assert load_matrix(path).tolist() == rows
    found = load_source(path).names()
    assert (None if found is None else found[0]) == names


def test_the_csv_of_pandas_is_read(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    names = ["cat", 'a "quoted", one', "b"]
    for index in (None, names, [5, 6, 7]):
        frame = pandas.DataFrame([[1, 0.5], [2, 1e-9], [3, 4.25]], index=index)
        frame.to_csv(tmp_path / "w.csv")
        found = load_source(tmp_path / "w.csv")
        assert found.matrix.tolist() == frame.values.tolist()
        named = None if found.named is None else found.named[0]
        assert named == (None if index is None else [str(name) for name in index])


def test_vector_is_a_row_or_a_column(tmp_path: Path) -> None:
    for text in ("1 2 3", "1\n2\n3"):
        assert load_vector(write(tmp_path, "b.txt", text)).tolist() == [1, 2, 3]


@pytest.mark.parametrize("content", [b"1.5 -2\n0.1 3.0\n", npy_bytes(MATRIX), npz_bytes(W=MATRIX)])
def test_standard_input(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    on_stdin(monkeypatch, content)
    assert np.array_equal(load_matrix("-").astype(float), MATRIX)


@pytest.mark.sampled(11)
@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("w.txt", "1 2\n3\n", r"w.txt, line 2 has 1 entry; expected 2"),
        ("w.csv", "1,2\n3,\n", r"line 2, entry 2 is empty; expected"),
        ("w.csv", "x,y\n", r"line 1, entry 2 is 'y'; expected an integer"),
        ("w.csv", "x\n", r"line 1, entry 1 is 'x'; expected an integer"),
        ("w.csv", "x,2\n1,2\n", r"line 1, entry 1 is 'x'; expected an integer"),
        ("w.csv", ",x,\n0,1,2\n", r"line 1, entry 1 is empty; expected"),
        ("w.csv", ",x,y\n0,1,\n", r"line 2, entry 3 is empty; expected"),
        ("w.csv", "cat,1,2\n7,3,4\n", r"'cat'; .* Names stand in the first column of all rows"),
        ("w.csv", '"cat, 1",2\n"dog" 3,4\n', r"line 1, entry 1 is 'cat, 1'"),
        ("w.csv", "1 0;0 1\n", r"'1 0'; .* each row has a line of its own"),
        ("w.csv", "nan,inf\n1,2\n", r"line 1, entry 1 is 'nan'"),
        ("w.csv", "x,y,z\n1,2\n", r"line 2 has 2 entries; expected 3"),
        ("w.csv", "1,2,\n3,4\n", r"line 2 has 2 entries; expected 3"),
        ("w.csv", "1,5;2\n3;4\n", r"line 1 has commas and semicolons; .*decimal points"),
        ("w.csv", "1|2\n3|4\n", r"separated by commas, semicolons or blanks, not by '\|'"),
        ("w.txt", f"{'9' * 5000}x 1\n", r"is '999.*\(5003 characters\); expected"),
        ("w.txt", f"{'9' * 10**6} 1\n", r"\(1000002 characters\); expected"),
        (
            "w.npy",
            npy_bytes(np.array([[1j]])),
            r"w.npy, row 0, column 0, is complex; expected real",
        ),
        ("w.npy", npy_bytes(MATRIX).replace(b"(", b"{", 1), r"cannot read .*w.npy"),
        ("w.txt", "1/0 2\n", r"'1/0'"),
        ("w.txt", "1_0 2\n", r"'1_0'"),
        ("w.txt", "1 nan\n", r"'nan'; expected an integer, a decimal with an exponent below 4300"),
        ("w.txt", "1 -inf\n", r"'-inf'"),
        ("w.txt", "1 1e4300\n", r"'1e4300'"),
        ("w.txt", "1 1e-999999999\n", r"'1e-999999999'"),
        ("w.txt", "1 1e99999999999999999999\n", r"'1e99999999999999999999'"),
        ("w.txt", "1 2\r3 4\r", r"line 1 has a carriage return within"),
        ("w.txt", "1 2\f3 4\n", r"line 1, entry 2 is '2\\x0c3'"),
        ("w.txt", "# nothing\n\n", r"holds no numbers"),
        ("w.txt", b"\xff\xfe\x00", r"is not text: byte 0"),
        ("w.npy", "1 2\n", r"is not a .npy file"),
        ("w.npy", npy_bytes(MATRIX)[:-8], r"cannot read .*w.npy"),
        ("w.npy", npy_bytes(np.array([[1, {}]]), allow_pickle=True), r"allow_pickle=False"),
        ("w.npy", npy_bytes(np.empty((3, 0))), r"no columns"),
        ("w.npz", npy_bytes(MATRIX), r"is not an .npz file"),
        ("w.npz", b"PK\x03\x04 damaged", r"cannot read .*w.npz"),
        ("w.npz", npz_bytes(W=np.array([[1, {}]])), r"allow_pickle=False"),
        ("w.npz", npz_bytes(), r"holds 0 arrays"),
        ("w.mat", b"", r"unknown extension; expected .npy, .npz, .safetensors, .* or the folder"),
        ("w.pkl", b"", r"w.pkl is a pickle, which can run code, .*\(pickle.load\(open\('.*w.pkl'"),
        ("w.joblib", b"", r"from_estimator\(joblib.load\('.*w.joblib'\)\).save\('.*w.npz'\)"),
    ],
)
def test_bad_files(tmp_path: Path, name: str, content: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_matrix(write(tmp_path, name, content))


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read .*none.npy: No such file or directory"):
        load_matrix(tmp_path / "none.npy")
    (tmp_path / "folder.npy").mkdir()
    with pytest.raises(InputError, match="folder.npy is a folder with no weights; expected"):
        load_matrix(tmp_path / "folder.npy")
    with pytest.raises(InputError, match=r"a key is for files of several"):
        load_matrix(write(tmp_path, "w.txt", "1"), "W")


def test_output_is_checked_first(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unknown extension; expected .npz, .csv or .txt"):
        check_output(tmp_path / "out.npy")
    with pytest.raises(InputError, match="folder does not exist"):
        check_output(tmp_path / "none" / "out.txt")


def test_atomic_write_replaces_or_leaves(tmp_path: Path) -> None:
    path = write(tmp_path, "out.txt", "old")
    with pytest.raises(KeyboardInterrupt), atomic_write(path) as stream:
        stream.write(b"half")
        raise KeyboardInterrupt
    assert path.read_text() == "old"
    with atomic_write(path) as stream:
        stream.write(b"new")
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["out.txt"]


@pytest.mark.parametrize("n", [0, 1, 2, 65])
def test_lines(n: int) -> None:
    signs = np.random.default_rng(0).choice(np.array([-1, 1], np.int8), (7, n))
    text, table = sign_lines(signs).decode(), csv_lines(signs).decode()
    assert text == "".join("".join("+" if s > 0 else "-" for s in row) + "\n" for row in signs)
    assert table == "".join(",".join(map(str, row)) + "\n" for row in signs.tolist())


def test_write_signs(tmp_path: Path) -> None:
    signs = np.array([[1, -1], [1, 1], [-1, -1]], np.int8)
    blocks = [
        SimpleNamespace(to_array=lambda part=part: part, is_named=False)
        for part in (signs[:2], signs[2:])
    ]
    assert write_signs(tmp_path / "out.txt", blocks) == 3  # type: ignore[arg-type]
    assert (tmp_path / "out.txt").read_text() == "+-\n++\n--\n"
    assert write_signs(tmp_path / "out.csv", blocks) == 3  # type: ignore[arg-type]
    assert load_matrix(tmp_path / "out.csv").tolist() == signs.tolist()


@pytest.mark.parametrize("text", ["1e-400", "-2.5e-1000", "1e400", "1e4299", "-1e-4299", "3E+999"])
def test_decimals_that_float64_cannot_hold_are_exact(tmp_path: Path, text: str) -> None:
    rows = load_matrix(write(tmp_path, "w.txt", f"{text} 0.1\n"))
    assert rows.tolist() == [[Fraction(text), 0.1]]
    assert load_vector(write(tmp_path, "b.csv", text)).tolist() == [Fraction(text)]
    sign = 1 if Fraction(text) > 0 else -1
    assert feasible(rows[:, :1], [sign]).verify() and rows[0, 0] * sign > 0


@pytest.mark.parametrize(
    "text", ["5e-324", "1.7976931348623157e308", "0.0", "-0e-999", "0.1", "7."]
)
def test_other_decimals_are_float64(tmp_path: Path, text: str) -> None:
    loaded = load_matrix(write(tmp_path, "w.txt", text))
    assert loaded.dtype == np.float64 and loaded[0, 0] == float(text)


SEPARATORS = ("\u2028", "\u2029", "\x1c", "\x1d", "\x1e", "\x85", "\f", "\v")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_names_end_at_a_newline_only(tmp_path: Path, end: str) -> None:
    names = [f"a{c}b" for c in SEPARATORS] + ["", "last one"]
    path = write(tmp_path, "names.txt", end.join(names) + 2 * end + " " + end)
    assert load_names(path) == names
    assert load_names(write(tmp_path, "names.txt", "\ufeffa\nb")) == ["a", "b"]
    assert load_names(write(tmp_path, "names.txt", "")) == []
    with pytest.raises(InputError, match="line 2 has a carriage return"):
        load_names(write(tmp_path, "names.txt", "a\nb\rc\n"))


@pytest.mark.parametrize("separator", SEPARATORS)
def test_comments_end_at_a_newline_only(tmp_path: Path, separator: str) -> None:
    path = write(tmp_path, "w.txt", f"1 2  # old: {separator}5 6\n3  \t 4\n")
    assert load_matrix(path).tolist() == [[1, 2], [3, 4]]


def test_output_keeps_permissions_and_links(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    path, link = tmp_path / "other" / "out.txt", tmp_path / "link.txt"
    link.symlink_to(path)
    for old in (None, "old"):  # a link to nothing, too
        if old is not None:
            path.write_text(old)
            path.chmod(0o640)
        with atomic_write(link) as stream:
            stream.write(b"new")
        assert link.is_symlink() and path.read_text() == "new"
        assert sorted(os.listdir(tmp_path)) == ["link.txt", "other"]
        assert os.listdir(tmp_path / "other") == ["out.txt"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.parametrize("name", ["out.txt", "out.csv", "out.npz"])
def test_what_cannot_be_written_is_refused_first(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("kept")
    path.chmod(0o444)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / name).mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder" / name)
    cases = [
        (path, "it is read-only"),
        (tmp_path / "folder" / name, "it is a folder"),
        (path / name, "its folder does not exist"),
    ]
    for target, reason in cases:
        for refuse in (check_output, check_writable, _write):
            with pytest.raises(InputError, match=f"cannot write .*{name}: {reason}"):
                refuse(target)
    with pytest.raises(InputError, match="cannot write .*link: it is a folder"):
        check_writable(tmp_path / "link")
    assert path.read_text() == "kept" and sorted(os.listdir(tmp_path)) == ["folder", "link", name]


def _write(path: Path) -> None:
    with atomic_write(path):
        raise AssertionError("it was opened")


def test_the_null_device_is_written_to() -> None:
    with atomic_write(os.devnull) as stream:
        stream.write(b"gone")
    assert not os.path.isfile(os.devnull)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_pipes_are_written_to(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    reader = threading.Thread(target=lambda: got.append((tmp_path / "pipe.txt").read_text()))
    got: list[str] = []
    reader.start()
    with atomic_write(tmp_path / "pipe.txt") as stream:
        stream.write(b"through")
    reader.join(10)
    assert got == ["through"] and os.listdir(tmp_path) == ["pipe.txt"]


def test_temporaries_can_be_removed_at_any_time(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), atomic_write(tmp_path / "out.txt") as stream:
        stream.write(b"half")
        assert len(os.listdir(tmp_path)) == 1
        remove_temporaries()
        assert os.listdir(tmp_path) == []
    remove_temporaries()


@pytest.mark.parametrize(
    "text",
    [
        "1;2\n-3;4\n",
        "x,y\n1,2\n-3,4\n",
        '"x 1";"y 2"\n"1";"2"\n-3;"4"\n',
        "1,2,\n-3,4,\n",
        "1;2; # first\n-3;4;\n",
        "w_1 bias\n1 2\n-3 4\n",
    ],
)
def test_tables_of_other_programs(tmp_path: Path, text: str) -> None:
    assert load_matrix(write(tmp_path, "w.csv", text)).tolist() == [[1, 2], [-3, 4]]


def test_long_integers_and_no_rows(tmp_path: Path) -> None:
    number = 10**5000 + 1
    text = "1" + "0" * 4999 + "1"
    loaded = load_matrix(write(tmp_path, "w.txt", f"-{text} {text}/3\n"))
    assert loaded.tolist() == [[-number, Fraction(number, 3)]]
    assert load_matrix(write(tmp_path, "w.npy", npy_bytes(np.empty((0, 3))))).shape == (0, 3)


def test_damaged_headers(tmp_path: Path) -> None:
    random, content = np.random.default_rng(0), npy_bytes(MATRIX)
    for _ in range(300):
        damaged = bytearray(content)
        for place in random.integers(0, 128, 3):
            damaged[place] = random.choice(list(b"(){}'\\,:09<f \n\0"))
        try:
            load_matrix(write(tmp_path, "w.npy", bytes(damaged)))
        except InputError as error:
            assert "\n" not in str(error)


def test_names_of_files(tmp_path: Path) -> None:
    for ask in (load_matrix, load_names, check_output, check_writable):
        with pytest.raises(InputError, match="the name of a file is empty"):
            ask("")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_no_matrix_is_read_from_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "63")
    with pytest.raises(InputError, match="is a pipe .*pass - and pipe into standard input"):
        load_matrix(tmp_path / "63")


def test_errors_name_the_file_and_not_the_temporary_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(source: str, target: str) -> None:
        raise OSError(28, "No space left on device", source)

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError) as replaced, atomic_write(tmp_path / "out.txt"):
        pass
    assert replaced.value.filename == str(tmp_path / "out.txt")
    assert os.listdir(tmp_path) == []


def test_names_that_could_be_misread_are_quoted() -> None:
    names = ["cat", "sea lion", "", "#1", "a > b", "a, b", '"c"', " d", "e  f", "g\u2028h", "x#y"]
    written = quote_names(names)
    assert [name for name in names if name in written] == ["cat", "sea lion", "x#y"]
    assert [json.loads(text) for text in written[2:-1]] == names[2:-1]
    assert all(len(text.splitlines()) == 1 for text in written)
    text = text_tops(np.array([[0, 1]]), ["##s, ,", "dog > > > the"], True)
    assert text == b'"##s, ," > "dog > > > the"\n'


@pytest.mark.parametrize("name", [None, 3, b"w.csv", "w\0.csv", "\ud800.csv", ["w.csv"]])
def test_names_that_no_file_has(name: Any) -> None:
    for ask in (load_matrix, check_output, SignVectors.load, chambers([[1]]).save):
        with pytest.raises(InputError, match="the name of a file is "):
            ask(name)


def test_long_names(tmp_path: Path) -> None:
    path = tmp_path / ("é" * 125 + ".txt")
    assert write_signs(path, [chambers([[1]])]) == 2
    assert os.listdir(tmp_path) == [path.name]
    with pytest.raises(InputError, match=r"cannot write .* characters\): file name too long\.$"):
        check_output(tmp_path / ("x" * 300 + ".txt"))


def test_headers_of_python_2_are_read_quietly(tmp_path: Path) -> None:
    content = npy_bytes(np.eye(2)).replace(b"(2, 2), }  ", b"(2L, 2L), }")
    assert load_matrix(write(tmp_path, "w.npy", content)).tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    "text",
    [
        "id,0,1\na,1,2\nb,3,4\n",
        "id;0;1\n0;1;2\n1;3;4\n",
        "\t0\t1\n0\t1\t2\n1\t3\t4\n",
        "\tp\tq\na\t1\t2\nb\t3\t4\n",
        "id\t0\t1\n5\t1\t2\n7\t3\t4\n",
    ],
)
def test_tables_as_pandas_writes_them(text: str, tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text(text)
    assert load_matrix(path).tolist() == [[1, 2], [3, 4]]


def test_columns_of_pandas_that_have_numbers(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text("0,1,2\n0.5,1.5,2.5\n")
    with pytest.warns(UserWarning, match=r"w.csv, line 1 is 0, 1, 2, ..: it is taken for a row"):
        assert load_matrix(path).shape == (2, 3)
    path.write_text("0,1,2\n0,1,3\n")
    assert load_matrix(path).shape == (2, 3)


def test_a_matrix_is_no_vector(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text("1,2\n3,4\n5,6\n")
    with pytest.raises(InputError, match=r"holds an array of shape \(3, 2\); expected one row or"):
        load_vector(path)
