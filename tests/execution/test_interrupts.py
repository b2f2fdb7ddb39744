"""Ctrl-C is answered during long steps, and never swallowed."""

import hashlib
import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from arrangements import argmax_labels
from arrangements.execution.interrupts import answering_ctrl_c


def interrupted(work: Callable[[], Any], after: float) -> float:
    """Seconds from Ctrl-C to KeyboardInterrupt."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    sent: list[float] = []

    def press() -> None:
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, press)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
        return time.monotonic() - sent[0]
    finally:
        timer.cancel()
        timer.join()
        signal.signal(signal.SIGINT, before)


def test_a_long_step_need_not_be_waited_for() -> None:
    def work() -> bytes:  # some seconds without the lock of Python, like a kernel
        return hashlib.pbkdf2_hmac("sha256", b"", b"", 10**7)

    assert interrupted(lambda: answering_ctrl_c(work, 1e9), after=0.3) < 2


def test_answers_and_errors_are_the_same_in_a_thread() -> None:
    main = threading.current_thread()
    for operations, alone in ((0.0, True), (1e9, False)):
        assert (answering_ctrl_c(threading.current_thread, operations) is main) == alone
        with pytest.raises(ZeroDivisionError):
            answering_ctrl_c(lambda: 1 // 0, operations)
    # in a thread there is no Ctrl-C to answer
    seen: list[bool] = []

    def nested() -> None:
        here = threading.current_thread()
        seen.append(answering_ctrl_c(threading.current_thread, 1e9) is here)

    thread = threading.Thread(target=nested)
    thread.start()
    thread.join()
    assert seen == [True]


@pytest.mark.slow
def test_many_labels_in_many_dimensions() -> None:
    W = np.random.default_rng(0).standard_normal((300, 384))
    argmax_labels(W[:40, :30])  # compiled
    began = time.monotonic()
    assert len(argmax_labels(W)) == 300
    assert time.monotonic() - began < 60  # it took longer to find columns; now three seconds
