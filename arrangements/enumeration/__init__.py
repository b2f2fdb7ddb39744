"""The questions: chambers, rankings, tops and ties, listed, streamed or counted, and planned."""
