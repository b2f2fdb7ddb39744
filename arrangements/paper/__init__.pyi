# Written by tests/stubs.py.

from arrangements.paper.cosines import cosine_matrix as cosine_matrix
from arrangements.paper.cosines import difference_cosine_matrix as difference_cosine_matrix
from arrangements.paper.cosines import rounded_cosine_matrix as rounded_cosine_matrix
from arrangements.paper.cosines import rounded_difference_cosine_matrix as rounded_difference_cosine_matrix
from arrangements.paper.cosines import same_cosines as same_cosines
from arrangements.paper.definitions import braid_matrix as braid_matrix
from arrangements.paper.definitions import ranking_pattern as ranking_pattern
from arrangements.paper.definitions import sign_pattern as sign_pattern
from arrangements.paper.figures import plot_bjorner as plot_bjorner
from arrangements.paper.reconstruction import RescaledGram as RescaledGram
from arrangements.paper.reconstruction import ranking_pattern_from_difference_cosines as ranking_pattern_from_difference_cosines
from arrangements.paper.reconstruction import sign_pattern_from_cosines as sign_pattern_from_cosines
from arrangements.paper.softmax import SameSoftmax as SameSoftmax
from arrangements.paper.softmax import equivalent_softmax as equivalent_softmax
from arrangements.paper.softmax import same_softmax as same_softmax
from arrangements.paper.translations import EquivalentModels as EquivalentModels
from arrangements.paper.translations import SimilarityWitness as SimilarityWitness
from arrangements.paper.translations import equivalent_models as equivalent_models
from arrangements.paper.translations import translation_for_cosine as translation_for_cosine
from arrangements.paper.verification import Result as Result
from arrangements.paper.verification import verify as verify
