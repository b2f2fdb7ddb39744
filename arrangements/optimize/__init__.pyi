# Written by tests/stubs.py.

from arrangements.optimize.depth import halfspace_depth as halfspace_depth
from arrangements.optimize.depth_regions import DepthRegion as DepthRegion
from arrangements.optimize.depth_regions import depth_contours as depth_contours
from arrangements.optimize.depth_regions import depth_region as depth_region
from arrangements.optimize.depth_regions import halfspace_median as halfspace_median
from arrangements.optimize.kemeny import KemenyRanking as KemenyRanking
from arrangements.optimize.kemeny import kemeny_ranking as kemeny_ranking
from arrangements.optimize.optimum import Optimum as Optimum
from arrangements.optimize.quadratic import BinaryOptimum as BinaryOptimum
from arrangements.optimize.quadratic import L1Component as L1Component
from arrangements.optimize.quadratic import binary_quadratic as binary_quadratic
from arrangements.optimize.quadratic import l1_pca as l1_pca
from arrangements.optimize.ranking_search import BestRanking as BestRanking
from arrangements.optimize.ranking_search import best_ranking as best_ranking
from arrangements.optimize.ranking_search import place_range as place_range
from arrangements.optimize.regression import DeepestRegression as DeepestRegression
from arrangements.optimize.regression import deepest_regression as deepest_regression
from arrangements.optimize.regression import regression_depth as regression_depth
from arrangements.optimize.simplicial import simplicial_depth as simplicial_depth
from arrangements.optimize.subsystems import Subsystem as Subsystem
from arrangements.optimize.subsystems import max_feasible as max_feasible
from arrangements.optimize.trees import HyperplaneTree as HyperplaneTree
from arrangements.optimize.trees import best_tree as best_tree
from arrangements.optimize.zero_one import ZeroOneClassifier as ZeroOneClassifier
