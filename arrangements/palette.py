"""The colors of pictures, pages and notebooks: all of them are in this file.

Sides, labels and lines are told apart by color-blind readers too; where colors are many or carry
an answer, text says the same.
"""

# Okabe and Ito's colors, in an order in which both shades of the first ones stay apart; and eight
# more like Paul Tol's muted ones. Not all readers can tell this many colors apart, so names and
# dark lines separate labels as well.
LABELS = (
    *("#56b4e9", "#d55e00", "#f0e442", "#009e73", "#cc79a7", "#0072b2", "#e69f00", "#999999"),
    *("#5e4fa2", "#ddcc77", "#882255", "#999933", "#cc6677", "#117733", "#aa4499", "#8c564b"),
)
BLUE, ORANGE = "#0072b2", "#d55e00"
# Lines and text on white; lines that only lead to a text.
DARK, LEADER = "#222222", "#888888"
# Neighboring regions that stand for nothing in particular.
PALE, PALER, WHITE = "#e0e0e0", "#f2f2f2", "#ffffff"
# Seen on white and on black: the contrast with both exceeds 4.
GREY = "#797979"
# Series of a diagram on white or on black, one for each method.
SERIES = (
    *("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b58900", "#56b4e9", "#8c564b", "#797979"),
    *("#7d6fc9", "#aa4499"),
)


def tinted(color: str, share: float) -> str:
    """A color mixed with a share of white.

    Examples
    --------
    >>> tinted("#0072b2", 0.5)
    '#80b8d8'
    """
    parts = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(255 * share + part * (1 - share)):02x}" for part in parts)


def blended(*colors: str) -> str:
    """The color half way between colors.

    Examples
    --------
    >>> blended("#0072b2", "#ffffff"), blended("#0072b2")
    ('#80b8d8', '#0072b2')
    """
    parts = zip(*(bytes.fromhex(color[1:7]) for color in colors), strict=True)
    return "#" + "".join(f"{round(sum(part) / len(colors)):02x}" for part in parts)
