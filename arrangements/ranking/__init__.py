"""Orders of labels by their scores: the regions of the braid arrangement met by W x + b."""
