"""Scenarios of payments: saved as a file, sent in again, and looked at moment by moment."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from core.errors import InvalidRequest, ServiceError
from core.modes import Mode
from core.parsers import parse_exactly
from core.renderers import to_json
from core.snapshot import one_moment
from dashboard.finding import intent_of
from dashboard.page import draw, json_file
from dashboard.theatre.words import step_lines, verdict_of
from dashboard.visit import Visit
from merchants.acts import Act
from theatre.errors import ScenarioTooLarge
from theatre.models import Replay
from theatre.selectors import newest_replays
from theatre.services import MOST_BYTES, ask_replay, scenario_file

MOST_LISTED = 50


def download_scenario(_request: HttpRequest, visit: Visit, intent_id: UUID) -> HttpResponse:
    """What happened to a payment as a file, as the API answers it. Why no id in its name: nothing leads back."""
    with one_moment():
        content = to_json(scenario_file(intent_of(visit, intent_id)))
    return json_file("scenario.json", content)


def list_replays(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The replays of test mode, and where a file is sent in."""
    is_test = visit.mode == Mode.TEST
    replays = newest_replays(visit.principal, MOST_LISTED) if is_test else []
    context = {
        "lines": [(replay, verdict_of(replay)) for replay in replays],
        "is_test": is_test,
        "may_replay": is_test and visit.may(Act.RESEND),
        "most_kilobytes": MOST_BYTES // 1024,
    }
    return draw(request, visit, "dashboard/theatre/list.html", context)


def new_replay(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Have a file played. Why one byte more than is taken is read: what is too large is said to be, not cut."""
    if request.method != "POST":
        return redirect(visit.url("scenarios"))
    sent = request.FILES.get("file")
    pasted = request.POST.get("pasted", "").encode("utf-8", "surrogatepass")
    content, name = (sent.read(MOST_BYTES + 1), sent.name or "") if sent else (pasted, "Pasted")
    try:
        if len(content) > MOST_BYTES:
            raise ScenarioTooLarge(MOST_BYTES)
        replay = ask_replay(visit.principal, parse_exactly(content), name)
    except InvalidRequest as refusal:
        first = refusal.details["fields"][0]
        messages.error(request, f"This is no scenario file. {first['field']}: {first['message']}")
    except ServiceError as refusal:
        messages.error(request, refusal.message)
    else:
        return redirect(visit.url("scenario", replay_id=replay.pk))
    return redirect(visit.url("scenarios"))


def show_replay(request: HttpRequest, visit: Visit, replay_id: UUID) -> HttpResponse:
    """One replay: its verdict, and every moment of it. Raises: Http404."""
    replay: Replay | None = Replay.objects.visible_to(visit.principal).filter(pk=replay_id).first()
    if replay is None:
        raise Http404
    context = {
        "replay": replay,
        "verdict": verdict_of(replay),
        "steps": [step_lines(step, number) for number, step in enumerate(replay.steps, start=1)],
        "end": replay.scenario["end"],
    }
    return draw(request, visit, "dashboard/theatre/replay.html", context)
