"""Errors and warnings in terms of options: the words of the command line for each `Remedy`."""

from arrangements.keywords import OTHER_NAMES
from arrangements.messages import Remedy

# What others call options, and what they are called here.
WORDS = {
    f"--{other.replace('_', '-')}": f"--{name.replace('_', '-')}"
    for other, name in OTHER_NAMES.items()
} | {"--bias-key": "--offsets-key"}
_FEWER_REGIONS = (
    "Ask inside a smaller --box or on a --slice; --regions with --limit or --time-limit prints the "
    "first ones; --can and --max need no list."
)
REMEDIES = {
    "a smaller prime": "Take a smaller prime.",
    "another flag": "Run the command again with --method incremental.",
    "another font": "Set font.family in a matplotlibrc file to a font that has them.",
    "drop ties": "Keep one of them, or pass --ties drop to keep the first.",
    "fewer labels": "Ask for --argmax or --top-k, or leave out labels.",
    "fewer points": "Take a sample of the points, or fewer columns.",
    "fewer regions": _FEWER_REGIONS,
    "fewer regions or hours": f"{_FEWER_REGIONS} --max-hours inf begins it all the same.",
    "fewer rows": "Leave out rows.",
    "fewer tops": "Choose a smaller K, or leave out labels.",
    "fewer weights": "Take a smaller input, or a smaller network.",
    "flats of small rank": "Leave out rows.",
    "linear symmetries": "Leave out symmetries that are not linear.",
    "low rank": "Pass the factor A itself, which has the same answer as A @ B without "
    "rounding; or, to commands that have it, --rank {value}, which infers the product from the "
    "rounded numbers.",
    "part of a set": "List fewer with --limit.",
    "precise cosines": "Use exact cosines, or a longer type of floats.",
    "rank of cosines": "Name the rank of W to take the cosines in float64.",
    "repair": "arrangements check RUN --repair makes it again.",
    "shorter parts": "Pass fewer --rows-per-part, or leave it out.",
    "slice": "Pass --slice POINTS, a file of three inputs, to draw the plane through them.",
    "slow count": "Pass --workers m to divide the time by up to m.",
    "stream faces": "Leave out rows.",
    "too long": "Pass --max-hours inf to begin it all the same.",
    "smaller dimension": "Choose a smaller dimension.",
    "smaller ties": "Leave out labels.",
    "smaller part": "Draw a smaller part, by --box or --within.",
    "smaller than free": "Write to a larger disk, or pass --max-bytes to begin all the same: "
    "compressed, they often take a quarter.",
    "stream": "Write them to a .csv or .txt file or to standard output, which holds only a few at "
    "a time; only count them; or pass --limit.",
}


def format_message(message: object) -> str:
    """An error, warning or text in one line, with its advice in terms of options."""
    parts = message.args if isinstance(message, Exception) else ()
    if not any(isinstance(part, Remedy) for part in parts):
        parts = (message,)
    texts = (
        REMEDIES[part.name].format(value=part.value) if isinstance(part, Remedy) else str(part)
        for part in parts
    )
    return " ".join(" ".join(texts).split())
