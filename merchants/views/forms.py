"""The forms of newcomers."""

from typing import Any

from allauth.account.adapter import get_adapter
from allauth.mfa.webauthn.forms import AddWebAuthnForm
from django import forms

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


class PasskeyForm(AddWebAuthnForm):  # type: ignore[misc]  # untyped upstream
    """The library's form for a new key, in our words; a key signs in alone unless somebody says otherwise."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.fields["name"].widget.attrs["maxlength"] = "100"
        self.fields["name"].help_text = "So that you know it again, like “Laptop” or “Blue key”."
        self.fields["passwordless"].initial = True
        self.fields["passwordless"].label = "Sign in with it alone, without the password"
        self.fields["passwordless"].help_text = "Your device then asks for your fingerprint, face or PIN."
