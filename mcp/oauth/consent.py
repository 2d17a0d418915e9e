"""The page on which a person lends an agent a part of what they may do. Source: docs/adr/0023.

Shown for every request, whatever was granted before. Which merchant and mode it speaks of is chosen by links on it;
live mode asks who is there again, at the link and at the answer. What is granted is worked out anew at the answer, from
the signed ticket in the form. Nothing is stored before that.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any, Final, cast
from urllib.parse import urlsplit

from allauth.account.decorators import reauthentication_required
from allauth.core.exceptions import ReauthenticationRequired
from csp.decorators import csp_update
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from oauth2_provider.exceptions import OAuthToolkitError
from oauth2_provider.settings import oauth2_settings
from oauth2_provider.views.base import AuthorizationView, BaseAuthorizationView

from core.errors import RateLimited
from core.modes import Mode
from mcp.facts import facts_of
from mcp.models import AgentConnection, Application
from mcp.oauth import consent_page as page
from mcp.oauth import consent_request as asking
from mcp.oauth.consent_form import ConsentForm
from mcp.oauth.consent_names import Target, client_of, target_of
from mcp.oauth.consent_request import AnsweredAlready, spend
from mcp.oauth.documents import Standing, names_a_document, want
from mcp.oauth.resource import RESOURCE
from mcp.oauth.throttles import count
from mcp.services.connections import ConsentOutdated, Parties, Terms, grant_connection
from merchants.accounts import CHOSEN_MERCHANT
from merchants.models import User

ALLOW, CANCEL = "allow", "cancel"
AFTER_SIGN_IN: Final = "consent_after_sign_in"
LOOK_AGAIN_SECONDS: Final = 2
LOOPBACK: Final = ("http://localhost:*", "http://127.0.0.1:*")
OUTDATED: Final = "Something changed since the page was drawn. Nothing was allowed; please look again."


class NoCode(Exception):
    """The protocol engine had an objection and no code; ``answer`` says so to the client. Why raised: nothing else of
    the consent may be kept then.
    """

    def __init__(self, answer: HttpResponse) -> None:
        self.answer = answer
        super().__init__(answer)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A request for consent that the protocol engine found good."""

    query: str
    application: Application
    scopes: tuple[str, ...]
    credentials: Mapping[str, Any]

    @property
    def target(self) -> Target:
        """Where the answer goes."""
        return target_of(self.credentials["redirect_uri"])


def known_clients(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """The authorization page for clients that are known; others are waited for, by people who signed in."""

    @wraps(view)
    def guarded(request: HttpRequest, *arguments: Any, **keywords: Any) -> HttpResponse:
        client_id = request.GET.get("client_id", "")
        try:
            count(request, "authorize")
        except RateLimited as error:  # a person is asked here: a page, and not the form that programs read
            refused = render(request, "429.html", _too_often(error), status=error.http_status)
            for header, value in error.headers.items():
                refused.headers[header] = value
            return refused
        may_ask_for_it = (
            request.method == "GET"
            and settings.OAUTH_CLIENT_DOCUMENTS
            and request.user.is_authenticated
            and names_a_document(client_id)
        )
        if may_ask_for_it and want(client_id) is Standing.AWAITED:
            answer = render(request, "oauth2_provider/one_moment.html")
            answer.headers["Refresh"], answer.headers["Cache-Control"] = str(LOOK_AGAIN_SECONDS), "no-store"
            return answer
        return view(request, *arguments, **keywords)

    return guarded


@method_decorator(never_cache, name="dispatch")
class ConsentView(AuthorizationView):
    """Shows the page, and answers it with a redirect to the client: a code, or a refusal."""

    http_method_names = ("get", "post", "head", "options")

    def handle_no_permission(self) -> HttpResponse:
        """Sign in first, then come back with the words that count."""
        self.request.session[AFTER_SIGN_IN] = True
        return redirect_to_login(f"{self.request.path}?{self._words()}")

    def get(self, request: HttpRequest, *_: Any, **__: Any) -> HttpResponse:
        """The page."""
        came_from_a_form = bool(request.session.pop(AFTER_SIGN_IN, False))
        try:
            asked = self._ask(asking.known_query(request.META["QUERY_STRING"]))
        except asking.Unreadable as error:
            return self._refuse(str(error))
        except OAuthToolkitError as error:
            return self._show_error(error) if came_from_a_form else self.error_response(error)
        choice = asking.read_choice(request.GET.get(asking.CHOICE, ""), asked.query, self._user)
        usual = request.session.get(CHOSEN_MERCHANT)
        consent = page.consent_context_for(self._user, asked.application, choice, usual)
        if consent is None:
            raise PermissionDenied
        if consent.mode == Mode.LIVE:
            _prove(request)
        form = self._form(asked, consent)
        ticket = asking.Ticket(
            query=asked.query,
            user_id=self._user.pk,
            merchant_id=consent.merchant.pk,
            mode=str(consent.mode),
            connection_id=_pk(consent.connection),
            offered=page.offered_scopes(consent),
            nonce=asking.new_nonce(),
        )
        return self._draw(asked, consent, form, ticket)

    def post(self, request: HttpRequest, *_: Any, **__: Any) -> HttpResponse:
        """The person's answer."""
        text = request.POST.get("ticket", "")
        try:
            ticket = asking.read_ticket(text, self._user)
            return self._answer(ticket, self._ask(ticket.query))
        except (asking.TicketExpired, ConsentOutdated):
            query = asking.query_in(text)
            messages.warning(request, OUTDATED)
            return redirect(f"{request.path}?{query}")
        except (asking.TicketRefused, AnsweredAlready) as error:
            return self._refuse(str(error))
        except NoCode as error:
            return error.answer
        except OAuthToolkitError as error:
            return self.error_response(error)

    def error_response(self, error: OAuthToolkitError, application: Application | None = None) -> HttpResponse:
        """Back to the client with the error; a page where it is not sure that it is one."""
        may_redirect, facts = super(BaseAuthorizationView, self).error_response(error)
        if may_redirect:
            return cast("HttpResponse", self.redirect(facts["url"], application))
        return self._refuse(error.oauthlib_error.description or "The agent's request is not valid.")

    # --- The answer -------------------------------------------------------------------------------

    def _answer(self, ticket: asking.Ticket, asked: Asked) -> HttpResponse:
        answer = self.request.POST.get("answer")
        if answer == CANCEL:
            spend(ticket.nonce)
            return self._redirect_with(asked, scopes="", credentials={**asked.credentials}, allow=False)
        consent = self._consent_context_of(ticket, asked)
        if consent.mode == Mode.LIVE and not self._is_proven():
            choice = asking.Choice(merchant_id=consent.merchant.pk, mode=consent.mode)
            signed = asking.sign_choice(choice, asked.query, self._user)
            return redirect(f"{self.request.path}?{asked.query}&{asking.CHOICE}={signed}")
        form = self._form(asked, consent, ticket, self.request.POST)
        if not form.is_valid() or answer != ALLOW:
            return self._draw(asked, consent, form, ticket)
        with transaction.atomic():
            spend(ticket.nonce)
            parties = Parties(
                user=self._user, application=asked.application, merchant=consent.merchant, mode=consent.mode
            )
            terms = Terms(
                name=form.cleaned_data["name"], scopes=form.ticked, limits=form.limits(), expires_at=form.expires_at()
            )
            connection = grant_connection(parties, terms, shown=consent.connection, facts=facts_of(self.request))
            credentials = {**asked.credentials, "connection": connection, "resource": [RESOURCE]}
            return self._redirect_with(asked, scopes=" ".join(connection.scopes), credentials=credentials, allow=True)

    def _redirect_with(self, asked: Asked, *, scopes: str, credentials: dict[str, Any], allow: bool) -> HttpResponse:
        """Why without a query: only the credentials may say what the code is for."""
        uri, *_ = self.create_authorization_response(
            asking.replay(self.request, ""), scopes=scopes, credentials=credentials, allow=allow
        )
        answer = cast("HttpResponse", self.redirect(uri, asked.application))
        if "code" not in QueryDict(urlsplit(uri).query):
            raise NoCode(answer)
        return answer

    def _consent_context_of(self, ticket: asking.Ticket, asked: Asked) -> page.ConsentContext:
        """The context that the ticket names, as it is now. Raises: ConsentOutdated when it is another one by now."""
        choice = asking.Choice(merchant_id=ticket.merchant_id, mode=Mode(ticket.mode))
        consent = page.consent_context_for(self._user, asked.application, choice)
        if consent is None or consent.mode != ticket.mode or _pk(consent.connection) != ticket.connection_id:
            raise ConsentOutdated
        if not set(ticket.offered) <= set(page.offered_scopes(consent)):
            raise ConsentOutdated
        return consent

    # --- What it is about -------------------------------------------------------------------------

    def _ask(self, query: str) -> Asked:
        """Let the protocol engine look at the request. Raises: OAuthToolkitError."""
        scopes, found = self.validate_authorization_request(asking.replay(self.request, query))
        names = ("client_id", "redirect_uri", "response_type", "state", "code_challenge", "code_challenge_method")
        return Asked(
            query=query,
            application=Application.objects.get(client_id=found["client_id"]),
            scopes=tuple(dict.fromkeys(scopes)),
            credentials={name: found[name] for name in names if found.get(name) is not None},
        )

    def _form(
        self, asked: Asked, consent: page.ConsentContext, ticket: asking.Ticket | None = None, sent: Any = None
    ) -> ConsentForm:
        return ConsentForm(
            sent,
            offered=ticket.offered if ticket is not None else page.offered_scopes(consent),
            fixed=page.fixed_scopes(consent, asked.scopes),
            mode=consent.mode,
            connection=consent.connection,
            client_name=client_of(asked.application).name,
        )

    @property
    def _user(self) -> User:
        return cast("User", self.request.user)

    def _words(self) -> str:
        """The request itself, whoever brought it: the page that it leads back to works everything out anew."""
        if self.request.method == "POST":
            return asking.query_in(self.request.POST.get("ticket", ""))
        try:
            return asking.known_query(self.request.META["QUERY_STRING"])
        except asking.Unreadable:
            return ""

    # --- Who is there -----------------------------------------------------------------------------

    def _is_proven(self) -> bool:
        try:
            _prove(self.request)
        except ReauthenticationRequired:
            return False
        return True

    # --- What is shown ----------------------------------------------------------------------------

    def _draw(
        self, asked: Asked, consent: page.ConsentContext, form: ConsentForm, ticket: asking.Ticket
    ) -> HttpResponse:
        ticked = form.ticked if form.is_bound else None
        context = {
            "client": client_of(asked.application),
            "target": asked.target,
            "consent": consent,
            "form": form,
            "ticket": ticket.signed(),
            "groups": page.boxes(consent, asked.scopes, ticked),
            "refused": page.refused_to_role(consent, asked.scopes),
            "manage_url": reverse("admin:agents", current_app=f"dashboard_{consent.mode}"),
            "never": page.NEVER,
            **page.choices(consent, self._user, self.request.path, asked.query),
        }

        # Why so wide: browsers hold every further redirect of the client's own against where the form may lead.
        schemes = set(oauth2_settings.ALLOWED_REDIRECT_URI_SCHEMES) - {"http", "https"}
        apps = sorted(f"{scheme}:" for scheme in schemes)
        form_targets = list(dict.fromkeys(["https:", *LOOPBACK, *apps, asked.target.form_action]))

        @csp_update({"form-action": form_targets})
        def drawn(request: HttpRequest) -> HttpResponse:
            return render(request, "oauth2_provider/authorize.html", context)

        return cast("HttpResponse", drawn(self.request))

    def _refuse(self, words: str, client_url: str = "") -> HttpResponse:
        context = {"words": words, "client_url": client_url}
        return render(self.request, "oauth2_provider/refused.html", context, status=400)

    def _show_error(self, error: OAuthToolkitError) -> HttpResponse:
        """Why a page here: the browser came from our sign-in form, whose policy lets it go nowhere else by itself."""
        answer = self.error_response(error)
        if "Location" not in answer.headers:
            return answer
        return self._refuse(error.oauthlib_error.description or "The request is not valid.", answer.headers["Location"])


def _prove(request: HttpRequest) -> None:
    """Raises: ReauthenticationRequired unless this person proved a moment ago who they are."""
    reauthentication_required(lambda _: None)(request)


def _pk(connection: AgentConnection | None) -> int | None:
    return None if connection is None else connection.pk


def _too_often(error: RateLimited) -> dict[str, str]:
    seconds = error.details["retry_after_seconds"]
    return {
        "title": "Apps ask too often",
        "reason": (
            "Apps on your network opened this page too often within a minute: it asks you whether one of them may act "
            f"for you. Wait {seconds} second{'' if seconds == 1 else 's'}, then start again from the app. Nothing was "
            "granted, and what you granted before is unchanged."
        ),
    }
