"""Does a sign vector occur, can labels be best? Answers with exact proofs."""
