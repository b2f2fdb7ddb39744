"""How often each label has each place in a block of rankings."""

from arrangements.kernels.compilation import entry


@entry
def add_places(orders, table):
    """Count the rankings by label and place.

    orders : (m, n) uint8 or uint16, labels from the first place to the last
    table : (n, n) int64, entry (r, i) grows by the number of rankings with label i in place r
    """
    for k in range(orders.shape[0]):
        for r in range(orders.shape[1]):
            table[r, orders[k, r]] += 1
