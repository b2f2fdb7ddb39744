"""Questions at the size of a vocabulary: many label sets, tops, sign vectors."""
