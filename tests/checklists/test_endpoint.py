"""Adding an endpoint is a shape, a view and a path; it is described, guarded and tried as every caller by itself."""

import pytest

from tests.checklists.copies import Copy

pytestmark = pytest.mark.slow

SHAPE = '''class ReferenceShape(TypedDict):
    """The merchant's own order number of an intent."""

    payment_intent_id: Uuid
    reference: str


def reference_body(intent: PaymentIntent) -> ReferenceShape:
    """The merchant's own order number of an intent, on the wire."""
    return {"payment_intent_id": str(intent.pk), "reference": intent.reference}


'''
VIEW = '''    @extend_schema(
        operation_id="getPaymentIntentReference",
        tags=["Payment intents"],
        responses={200: component(ReferenceShape), **errors(401, 404, 429)},
    )
    def reference(self, request: Request, intent_id: str) -> Response:
        """Say the merchant's own order number of an intent."""
        return Response(reference_body(visible_intent(principal_of(request), intent_id_from(intent_id))))

'''
EXPLAIN = """    @extend_schema(
        operation_id="explainPaymentIntent",
"""
ROUTE = """    path(
        f"{_one}/reference", PaymentIntentViewSet.as_view({"get": "reference"}), name="payment-intent-reference"
    ),
"""
ROW = '    f"GET {INTENT}/reference": _keyed(scope=READ),\n'
OWN_TEST = '''"""The order number of an intent."""

from tests.conftest import ApiClient
from tests.payments.world import create


def test_it_is_the_merchants_own_and_nobody_elses(api: ApiClient, other_api: ApiClient) -> None:
    intent = create(api, reference="A-17")
    path = f"/payment-intents/{intent['id']}/reference"
    assert api.get(path).body == {"payment_intent_id": intent["id"], "reference": "A-17"}
    assert other_api.get(path).status == 404
'''


def test_an_endpoint_is_a_shape_a_view_and_a_path(copy: Copy) -> None:
    copy.put_before("payments/shapes.py", "class RouteCandidateShape(", SHAPE)
    view = "payments/views/intents.py"
    copy.put_before(view, EXPLAIN, VIEW)
    copy.put_before(view, "    RouteCandidateShape,\n", "    ReferenceShape,\n")
    copy.put_before(view, ")\nfrom payments.states import", "    reference_body,\n")
    copy.put_before(view, '"transactions", "routing"), KeyScope', '"reference", ')
    copy.put_before("payments/urls.py", '    path("test-helpers/payment-intents', ROUTE)
    copy.put_before("tests/authorization/doors.py", '    f"POST {V1}/refunds": _keyed', ROW)
    copy.add("tests/payments/test_reference.py", OWN_TEST)
    copy.told("manage.py", "spectacular", "--validate", "--fail-on-warn", "--file", "docs/openapi.yaml")
    assert "operationId: getPaymentIntentReference" in copy.read("docs/openapi.yaml")
    rules = ("-k", "own_and_nobody or classified or who_may or foreign_id")
    assert copy.passed("tests/payments/test_reference.py", "tests/authorization/test_matrix.py", *rules) > 3
