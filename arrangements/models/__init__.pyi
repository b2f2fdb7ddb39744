# Written by tests/stubs.py.

from arrangements.core.low_rank import LowRankStructure as LowRankStructure
from arrangements.core.low_rank import low_rank_structure as low_rank_structure
from arrangements.models.audit_report import Audit as Audit
from arrangements.models.audit_report import AuditComparison as AuditComparison
from arrangements.models.classifiers import SigmoidClassifier as SigmoidClassifier
from arrangements.models.classifiers import SoftmaxClassifier as SoftmaxClassifier
from arrangements.models.comparison import ModelComparison as ModelComparison
from arrangements.models.comparison import ModelDifference as ModelDifference
from arrangements.models.lead_search import leads as leads
from arrangements.models.repairs import Repair as Repair
