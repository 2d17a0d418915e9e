"""Every page of the dashboard, below its mode's address. A new one is a view, a template, and a line here."""

from functools import partial

from django.urls import register_converter

from dashboard import search, settings
from dashboard.account import audit, key_endings, key_forms, keys, origins, requests, team
from dashboard.agents import agents, approvals, connection, held, log
from dashboard.books import pages as books
from dashboard.checkout import look
from dashboard.page import Menu, Page, Section
from dashboard.payments import accepting, cancelling, listing, payment, record, settling
from dashboard.payments import export as payments_export
from dashboard.payments import policy as payment_policy
from dashboard.payments.settling_lines import FAMILIES
from dashboard.payouts import pages as payouts
from dashboard.payouts import settings as payout_settings
from dashboard.refunds import new, payers, queue, signing, strays
from dashboard.refunds import pages as refunds
from dashboard.refunds import policy as refund_policy
from dashboard.theatre import pages as theatre
from dashboard.webhooks import certificate, deliveries, endpoint, endpoints, events, signature
from merchants.acts import Act

register_converter(events.EventIdConverter, "event")

_PAYMENT, _REFUND, _PAYOUT = "payments/<uuid:intent_id>/", "refunds/<uuid:refund_id>/", "payouts/<uuid:payout_id>/"
_ENDPOINT, _DELIVERY = "webhooks/<uuid:endpoint_id>/", "webhooks/deliveries/<uuid:delivery_id>/"
_AGENT, _APPROVAL = "agents/<int:connection_id>/", "approvals/<uuid:approval_id>/"
_KEY, _MEMBER, _INVITATION = "keys/<int:key_id>/", "team/<int:membership_id>/", "team/invitations/<int:invitation_id>/"
_CHANGE = "settings/changes/<uuid:change_id>/"

PAYMENTS = (
    Page(
        path="payments/",
        name="payments",
        view=listing.list_payments,
        menu=Menu("Payments", rank=10),
        may_be_behind=True,
    ),
    Page(
        path="payments/export/",
        name="export_payments",
        view=payments_export.export_payments,
        act=Act.EXPORT,
        may_be_behind=True,
    ),
    Page(path=_PAYMENT, name="payment", view=payment.show_payment),
    Page(path=f"{_PAYMENT}record/", name="record", view=record.show_record),
    Page(path=f"{_PAYMENT}record/download/", name="download_record", view=record.download_record),
    Page(path=f"{_PAYMENT}scenario/", name="download_scenario", view=theatre.download_scenario),
    Page(path=f"{_PAYMENT}cancel/", name="cancel_payment", view=cancelling.cancel_payment, act=Act.CHANGE_PAYMENTS),
    Page(path=f"{_PAYMENT}accept/", name="accept_payment", view=accepting.accept_payment, act=Act.MOVE_MONEY),
    Page(path=f"{_PAYMENT}refund/", name="new_refund", view=new.new_refund, act=Act.MOVE_MONEY),
    Page(path=f"{_PAYMENT}payers/", name="payers", view=payers.show_payers, act=Act.MOVE_MONEY),
    Page(path=f"{_PAYMENT}strays/", name="strays", view=strays.show_strays, act=Act.MOVE_MONEY),
)
REFUNDS = (
    Page(path="refunds/", name="refunds", view=queue.list_refunds, menu=Menu("Refunds", rank=20), may_be_behind=True),
    Page(path="refunds/export/", name="export_refunds", view=queue.export_refunds, act=Act.EXPORT, may_be_behind=True),
    Page(path=_REFUND, name="refund", view=refunds.show_refund),
    Page(path=f"{_REFUND}ask/", name="ask_payer", view=refunds.ask_payer, act=Act.ASK_PAYER),
    Page(
        path=f"{_REFUND}destination/",
        name="refund_destination",
        view=refunds.choose_destination,
        act=Act.MOVE_MONEY,
    ),
    Page(path=f"{_REFUND}release/", name="release_refund", view=refunds.release, act=Act.MOVE_MONEY),
    Page(path=f"{_REFUND}cancel/", name="cancel_refund", view=refunds.cancel, act=Act.MOVE_MONEY),
    Page(path=f"{_REFUND}sign/", name="sign_refund", view=signing.sign_refund, act=Act.MOVE_MONEY),
    Page(path=f"{_REFUND}unsigned/", name="refund_unsigned", view=signing.state_not_signed, act=Act.MOVE_MONEY),
    Page(path=f"{_REFUND}wallet/", name="refund_wallet", view=signing.wallet_state, act=Act.MOVE_MONEY, fresh=False),
    Page(
        path=f"{_REFUND}wallet/<slug:action>/",
        name="refund_wallet_action",
        view=signing.wallet_action,
        act=Act.MOVE_MONEY,
        fresh=False,
    ),
)
PAYOUTS = (
    Page(path="payouts/", name="payouts", view=payouts.list_payouts, menu=Menu("Payouts", rank=30), may_be_behind=True),
    Page(
        path="payouts/export/", name="export_payouts", view=payouts.export_payouts, act=Act.EXPORT, may_be_behind=True
    ),
    Page(path="payouts/pause/", name="pause_payouts", view=payout_settings.pause_all, act=Act.MOVE_MONEY),
    Page(path="payouts/resume/", name="resume_payouts", view=payout_settings.resume_all, act=Act.MOVE_MONEY),
    Page(
        path="payouts/at-settle/",
        name="payouts_at_settle",
        view=payout_settings.pay_at_settle,
        act=Act.CHANGE_SETTLEMENT,
    ),
    Page(path=_PAYOUT, name="payout", view=payouts.show_payout),
    Page(path=f"{_PAYOUT}replay/", name="replay_payout", view=payouts.replay, act=Act.MOVE_MONEY),
    Page(path=f"{_PAYOUT}resume/", name="resume_payout", view=payouts.resume, act=Act.MOVE_MONEY),
    Page(path=f"{_PAYOUT}rest/", name="pay_rest", view=payouts.pay_rest, act=Act.MOVE_MONEY),
    Page(path=f"{_PAYOUT}release/", name="release_payout", view=payouts.release, act=Act.MOVE_MONEY),
    Page(path=f"{_PAYOUT}readdress/", name="readdress_payout", view=payouts.readdress, act=Act.MOVE_MONEY),
)
BOOKS = (
    Page(path="books/", name="books", view=books.show_balances, menu=Menu("Books", rank=40), may_be_behind=True),
    Page(path="books/export/", name="export_books", view=books.export_books, act=Act.EXPORT, may_be_behind=True),
    Page(path="books/asset/", name="book", view=books.show_asset, may_be_behind=True),
    Page(path="books/entries/<int:posting_id>/", name="book_entry", view=books.show_entry),
    Page(path="books/statements/<int:statement_id>/", name="statement", view=books.show_statement, act=Act.EXPORT),
)
KEYS = (
    Page(path="keys/", name="keys", view=keys.show_keys, menu=Menu("API keys", Section.DEVELOPERS, 10)),
    Page(path="keys/new/", name="new_key", view=key_forms.new_key, act=Act.CHANGE_KEYS),
    Page(path="keys/roll/", name="roll_keys", view=key_endings.roll_keys, act=Act.CHANGE_KEYS),
    Page(path="keys/leaked/", name="keys_leaked", view=key_endings.end_every_key, act=Act.CHANGE_KEYS),
    Page(path=_KEY, name="key", view=keys.show_key),
    Page(path=f"{_KEY}edit/", name="edit_key", view=key_forms.edit_key, act=Act.CHANGE_KEYS),
    Page(path=f"{_KEY}roll/", name="roll_key", view=key_endings.roll_key, act=Act.CHANGE_KEYS),
    Page(path=f"{_KEY}revoke/", name="revoke_key", view=key_endings.end_key, act=Act.CHANGE_KEYS),
    Page(
        path="origins/",
        name="origins",
        view=origins.show_origins,
        menu=Menu("Allowed origins", Section.DEVELOPERS, 15),
    ),
    Page(path="origins/allow/", name="allow_origin", view=origins.allow, act=Act.CHANGE_KEYS),
    Page(path="origins/<int:origin_id>/remove/", name="remove_origin", view=origins.remove, act=Act.CHANGE_KEYS),
    Page(
        path="requests/",
        name="requests",
        view=requests.show_requests,
        menu=Menu("Request log", Section.DEVELOPERS, 40),
        act=Act.SEE_REQUESTS,
        may_be_behind=True,
    ),
    Page(path="requests/<int:record_id>/", name="request", view=requests.show_request, act=Act.SEE_REQUESTS),
)
WEBHOOKS = (
    Page(
        path="webhooks/",
        name="endpoints",
        view=endpoints.list_endpoints,
        menu=Menu("Webhooks", Section.DEVELOPERS, 20),
    ),
    Page(path="webhooks/new/", name="new_endpoint", view=endpoints.create, act=Act.CHANGE_ENDPOINTS),
    Page(path="webhooks/signature/", name="signature_check", view=signature.check_signature),
    Page(path=_ENDPOINT, name="endpoint", view=endpoint.show_endpoint),
    Page(path=f"{_ENDPOINT}edit/", name="edit_endpoint", view=endpoints.edit, act=Act.CHANGE_ENDPOINTS),
    Page(path=f"{_ENDPOINT}delete/", name="delete_endpoint", view=endpoints.delete, act=Act.CHANGE_ENDPOINTS),
    Page(path=f"{_ENDPOINT}secret/", name="rotate_secret", view=endpoints.rotate, act=Act.CHANGE_ENDPOINTS),
    Page(path=f"{_ENDPOINT}recover/", name="recover", view=endpoint.recover, act=Act.RESEND),
    Page(path=f"{_ENDPOINT}test/", name="test_event", view=endpoint.send_test, act=Act.RESEND),
    Page(path=f"{_ENDPOINT}certificate/", name="certify", view=certificate.certify, act=Act.RESEND),
    Page(path=_DELIVERY, name="delivery", view=deliveries.show_delivery),
    Page(path=f"{_DELIVERY}resend/", name="resend", view=deliveries.resend, act=Act.RESEND),
    Page(
        path="events/",
        name="events",
        view=events.list_events,
        menu=Menu("Events", Section.DEVELOPERS, 30),
        may_be_behind=True,
    ),
    Page(path="events/<event:event_id>/", name="event", view=events.show_event),
)
THEATRE = (
    Page(
        path="scenarios/",
        name="scenarios",
        view=theatre.list_replays,
        menu=Menu("Scenarios", Section.DEVELOPERS, 35),
    ),
    Page(path="scenarios/new/", name="new_scenario", view=theatre.new_replay, act=Act.RESEND),
    Page(path="scenarios/<uuid:replay_id>/", name="scenario", view=theatre.show_replay),
)
AGENTS = (
    Page(path="agents/", name="agents", view=agents.list_agents, menu=Menu("Connected agents", Section.AGENTS, 10)),
    Page(path="agents/limits/", name="agents_limits", view=agents.limit_all, act=Act.STEER_AGENTS),
    Page(path="agents/pause/", name="pause_agents", view=agents.stop_all, act=Act.STEER_AGENTS),
    Page(path="agents/resume/", name="resume_agents", view=agents.restart_all, act=Act.STEER_AGENTS),
    Page(path=_AGENT, name="agent", view=connection.show_connection),
    Page(path=f"{_AGENT}limits/", name="agent_limits", view=connection.limit, act=Act.STEER_AGENTS),
    Page(path=f"{_AGENT}name/", name="rename_agent", view=connection.rename, act=Act.STEER_AGENTS),
    Page(path=f"{_AGENT}pause/", name="pause_agent", view=connection.pause, act=Act.STEER_AGENTS),
    Page(path=f"{_AGENT}resume/", name="resume_agent", view=connection.resume, act=Act.STEER_AGENTS),
    Page(path=f"{_AGENT}revoke/", name="revoke_agent", view=connection.revoke, act=Act.STEER_AGENTS),
    Page(
        path=f"{_AGENT}held/<slug:kind>/<uuid:subject_id>/",
        name="held",
        view=held.decide_held,
        act=Act.STEER_AGENTS,
    ),
    Page(
        path="approvals/",
        name="approvals",
        view=approvals.list_approvals,
        menu=Menu("Approvals", Section.AGENTS, 20),
    ),
    Page(path=_APPROVAL, name="approval", view=approvals.show_approval),
    Page(path=f"{_APPROVAL}approve/", name="approve", view=approvals.approve_request, act=Act.STEER_AGENTS),
    Page(path=f"{_APPROVAL}deny/", name="deny", view=approvals.deny_request, act=Act.STEER_AGENTS),
    Page(
        path="agent-log/",
        name="agent_log",
        view=log.show_log,
        menu=Menu("Agent log", Section.AGENTS, 30),
        may_be_behind=True,
    ),
    Page(path="agent-log/export/", name="export_agent_log", view=log.export_log, act=Act.EXPORT, may_be_behind=True),
)
SETTINGS = (
    Page(path="settings/", name="settings", view=settings.show_settings, menu=Menu("Settings", Section.BUSINESS, 10)),
    Page(path="settings/name/", name="business_name", view=settings.change_name, act=Act.CHANGE_LOOK),
    *(
        Page(
            path=f"settings/settlement/{family}/",
            name=f"settlement_{family}",
            view=partial(settling.change_address, family=family),
            act=Act.CHANGE_SETTLEMENT,
        )
        for family in FAMILIES
    ),
    *(
        Page(
            path=f"settings/settlement/{family}/prove/",
            name=f"prove_{family}",
            view=partial(settling.prove, family=family),
            act=Act.CHANGE_SETTLEMENT,
        )
        for family in FAMILIES
    ),
    Page(
        path="settings/default/",
        name="settlement_default",
        view=settling.change_default,
        act=Act.CHANGE_SETTLEMENT,
    ),
    Page(path="settings/lock/", name="settlement_lock", view=settling.switch_lock, act=Act.CHANGE_SETTLEMENT),
    Page(path=_CHANGE, name="settlement_change", view=settling.decide_change, act=Act.CHANGE_SETTLEMENT),
    Page(
        path=f"{_CHANGE}open/",
        name="settlement_leftovers",
        view=settling.cancel_leftovers,
        act=Act.CHANGE_SETTLEMENT,
    ),
    Page(
        path="settings/payments/",
        name="payment_policy",
        view=payment_policy.change_policy,
        act=Act.CHANGE_SETTLEMENT,
    ),
    Page(path="settings/refunds/", name="refund_policy", view=refund_policy.change_policy, act=Act.CHANGE_SETTLEMENT),
)
BUSINESS = (
    Page(
        path="look/",
        name="look",
        view=look.change_look,
        menu=Menu("Checkout look", Section.BUSINESS, 20),
        act=Act.CHANGE_LOOK,
    ),
    Page(path="look/preview.css", name="look_preview", view=look.preview_look, act=Act.CHANGE_LOOK),
    Page(path="team/", name="team", view=team.show_team, menu=Menu("Team", Section.BUSINESS, 30)),
    Page(path="team/invite/", name="invite", view=team.invite_somebody, act=Act.CHANGE_TEAM),
    Page(path=f"{_INVITATION}resend/", name="resend_invitation", view=team.resend, act=Act.CHANGE_TEAM),
    Page(path=f"{_INVITATION}withdraw/", name="withdraw_invitation", view=team.withdraw_one, act=Act.CHANGE_TEAM),
    Page(path=f"{_MEMBER}role/", name="change_role", view=team.change, act=Act.CHANGE_TEAM),
    Page(path=f"{_MEMBER}remove/", name="remove_member", view=team.remove, act=Act.CHANGE_TEAM),
    Page(path=f"{_MEMBER}owner/", name="hand_over", view=team.transfer, act=Act.CHANGE_TEAM),
    Page(path="team/leave/", name="leave_team", view=team.leave),
    Page(
        path="audit/",
        name="audit",
        view=audit.show_audit,
        menu=Menu("Audit log", Section.BUSINESS, 40),
        act=Act.SEE_AUDIT,
        may_be_behind=True,
    ),
    Page(path="audit/export/", name="export_audit", view=audit.export_audit, act=Act.SEE_AUDIT, may_be_behind=True),
)
SEARCH = (Page(path="search/", name="search", view=search.show_search, may_be_behind=True),)
PAGES = (
    *(*PAYMENTS, *REFUNDS, *PAYOUTS, *BOOKS, *KEYS, *WEBHOOKS, *THEATRE),
    *(*AGENTS, *SETTINGS, *BUSINESS, *SEARCH),
)
