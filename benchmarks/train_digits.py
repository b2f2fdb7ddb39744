"""Train the demo classifier and write ``digits.npz``: ``python benchmarks/train_digits.py``.

The network reads the 8 x 8 images of the UCI optical digits, 64 -> 64 (ReLU) -> 3 -> 10, and
ends in a softmax. Only the last layer is kept: ten score functions ``w_i . x + b_i`` on the
3-dimensional bottleneck. Needs scikit-learn (the test extra) for the images; the training is
plain NumPy with a fixed seed. The result may differ in the last bits from one NumPy build to
another, which is why the file itself is part of the package.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import arrangements

SEED = 0
HIDDEN = 64
BOTTLENECK = 3
EPOCHS = 150
BATCH = 64
STEP = 3e-3
DECAY = 1e-3
HELD_OUT = 360

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]
Layers = list[Floats]  # hidden, bottleneck, output weights; output biases last


def load_images() -> tuple[Floats, Labels]:
    """Return the 1797 images, as rows scaled to [0, 1] in a random order, and their labels."""
    from sklearn.datasets import load_digits

    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(SEED).permutation(len(labels))
    return images[order] / 16.0, labels[order].astype(np.int64)


def initial_layers(rng: np.random.Generator) -> Layers:
    """Draw the weights; the hidden and bottleneck biases ride on a constant input column."""
    sizes = [(65, HIDDEN), (HIDDEN + 1, BOTTLENECK), (BOTTLENECK, 10)]
    weights = [rng.standard_normal(size) / np.sqrt(size[0]) for size in sizes]
    return [*weights, np.zeros(10)]


def forward(layers: Layers, images: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return inputs, hidden layer (both with the constant column), bottleneck and scores."""
    ones = np.ones((len(images), 1))
    inputs = np.hstack([images, ones])
    hidden = np.hstack([np.maximum(inputs @ layers[0], 0), ones])
    bottleneck = hidden @ layers[1]
    return inputs, hidden, bottleneck, bottleneck @ layers[2] + layers[3]


def gradients(layers: Layers, images: Floats, labels: Labels) -> Layers:
    """Differentiate the mean cross entropy."""
    inputs, hidden, bottleneck, scores = forward(layers, images)
    error = np.exp(scores - scores.max(axis=1, keepdims=True))
    error /= error.sum(axis=1, keepdims=True)
    error[np.arange(len(labels)), labels] -= 1
    error /= len(labels)
    back = error @ layers[2].T
    through = (back @ layers[1][:-1].T) * (hidden[:, :-1] > 0)
    return [inputs.T @ through, hidden.T @ back, bottleneck.T @ error, error.sum(axis=0)]


def train(images: Floats, labels: Labels) -> Layers:
    """Adam with decoupled weight decay and a step that falls linearly to zero."""
    rng = np.random.default_rng(SEED)
    layers = initial_layers(rng)
    mean, square = [np.zeros_like(w) for w in layers], [np.zeros_like(w) for w in layers]
    batches = len(labels) // BATCH
    for t in range(1, EPOCHS * batches + 1):
        if t % batches == 1:
            order = rng.permutation(len(labels))
        rows = order[(t - 1) % batches * BATCH :][:BATCH]
        step = STEP * (1 - t / (EPOCHS * batches + 1))
        for k, g in enumerate(gradients(layers, images[rows], labels[rows])):
            mean[k] = 0.9 * mean[k] + 0.1 * g
            square[k] = 0.999 * square[k] + 0.001 * g * g
            scaled = mean[k] / (1 - 0.9**t) / (np.sqrt(square[k] / (1 - 0.999**t)) + 1e-8)
            layers[k] = layers[k] * (1 - step * DECAY) - step * scaled
    return layers


def last_layer(layers: Layers, images: Floats, labels: Labels) -> dict[str, Any]:
    """Collect what the package ships: float32 weights and biases, names, accuracies."""
    weights, biases = layers[2].T.astype(np.float32), layers[3].astype(np.float32)
    bottleneck = forward(layers, images)[2]
    hit = (bottleneck @ weights.T + biases).argmax(axis=1) == labels
    return {
        "weights": weights,
        "biases": biases,
        "labels": np.array([str(digit) for digit in range(10)]),
        "train_accuracy": np.float64(hit[:-HELD_OUT].mean()),
        "test_accuracy": np.float64(hit[-HELD_OUT:].mean()),
    }


def main() -> int:
    """Train, report the accuracy and write the file of the package."""
    images, labels = load_images()
    layers = train(images[:-HELD_OUT], labels[:-HELD_OUT])
    stored = last_layer(layers, images, labels)
    path = Path(arrangements.__file__).parent / "data" / "digits.npz"
    np.savez_compressed(path, **stored)
    print(
        f"{path.name}: {path.stat().st_size} bytes, accuracy "
        f"{stored['train_accuracy']:.3f} train, {stored['test_accuracy']:.3f} test"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
