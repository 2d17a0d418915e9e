"""The forms of newcomers."""

from typing import Any

from allauth.account.adapter import get_adapter
from allauth.mfa.totp.forms import ActivateTOTPForm
from allauth.mfa.webauthn.forms import AddWebAuthnForm
from django import forms

from merchants.first_factor import is_word_of, needs_word
from merchants.models import User
from merchants.services import EMAIL_LENGTH, NAME_LENGTH


class SignUpForm(forms.Form):
    """Who wants an account, for which business."""

    email = forms.EmailField(
        label="E-mail",
        max_length=EMAIL_LENGTH,
        widget=forms.EmailInput(attrs={"autocomplete": "email", "autofocus": True}),
    )
    business = forms.CharField(
        label="Name of your business",
        max_length=NAME_LENGTH,
        help_text="Your payers see it. You can change it later.",
        widget=forms.TextInput(attrs={"autocomplete": "organization"}),
    )

    def clean_business(self) -> str:
        """Refuse what cannot be drawn on one line."""
        name: str = self.cleaned_data["business"].strip()
        if not name or not name.isprintable():
            raise forms.ValidationError("Please use letters, digits and signs on one line.")
        return name


class PasswordForm(forms.Form):
    """The password of a new account, checked like every other."""

    password = forms.CharField(
        label="Password",
        max_length=256,
        strip=False,
        help_text="At least 8 characters. A few words are better than one.",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password", "autofocus": True}),
    )

    def __init__(self, *arguments: Any, email: str, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.email = email

    def clean_password(self) -> str:
        """Refuse what is easily guessed. Raises: ValidationError."""
        password: str = get_adapter().clean_password(self.cleaned_data["password"], User(email=self.email))
        return password


class _AsksForWord(forms.Form):
    """A factor's form that asks an operator without one for the word that a terminal of the service printed."""

    user: User

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        if needs_word(self.user):
            self.fields["word"] = forms.CharField(
                label="Word of the operator",
                max_length=200,
                help_text="Printed by manage.py factor_word with your address; good for an hour.",
                widget=forms.TextInput(attrs={"autocomplete": "off"}),
            )

    def clean_word(self) -> str:
        """Refuse another word. Raises: ValidationError."""
        word: str = self.cleaned_data["word"]
        if not is_word_of(self.user, word):
            raise forms.ValidationError("This is not the word, or it is older than an hour. Have a new one printed.")
        return word


class AuthenticatorForm(_AsksForWord, ActivateTOTPForm):  # type: ignore[misc]  # untyped upstream
    """The library's form for an authenticator app."""


class PasskeyForm(_AsksForWord, AddWebAuthnForm):  # type: ignore[misc]  # untyped upstream
    """The library's form for a new key, in our words; a key signs in alone unless somebody says otherwise."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.fields["name"].widget.attrs["maxlength"] = "100"
        self.fields["name"].help_text = "So that you know it again, like “Laptop” or “Blue key”."
        self.fields["passwordless"].initial = True
        self.fields["passwordless"].label = "Sign in with it alone, without the password"
        self.fields["passwordless"].help_text = "Your device then asks for your fingerprint, face or PIN."
