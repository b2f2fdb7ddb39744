"""The source of a run from the arrays that its folder holds."""

from arrangements.files import storage
from arrangements.runs.region_source import RegionSource
from arrangements.runs.sources import ChamberSource, RankingSource, Source
from arrangements.sets.pattern_set import read_within


def source_of(noun: str, members: storage.Members) -> Source:
    """The source that the members of a run hold."""
    if noun == RegionSource.noun:
        return RegionSource.read(members)
    within = read_within(members)
    if noun == ChamberSource.noun:
        arrangement = storage.read_arrangement(members)
        assert arrangement is not None
        return ChamberSource(arrangement, within)
    model = storage.read_score_model(members)
    assert model is not None
    return RankingSource(model, within)
