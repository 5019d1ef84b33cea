// Passkeys: asks the browser for one and sends its answer with the form.
"use strict";

const MESSAGES = {
  NotAllowedError: "No passkey was used: the request was cancelled, or no passkey for this account was found.",
  InvalidStateError: "This passkey was already added. Use another security key or device.",
  ConstraintError: "This device cannot ask for a PIN, fingerprint or face, which is required.",
  NotSupportedError: "This device cannot create a passkey for the back office.",
  SecurityError: "Passkeys do not work at this address. Open the back office at the address that staff use.",
  AbortError: "The request was cancelled.",
};
const TIMED_OUT = "The request timed out. Try again.";
const UNSUPPORTED = "This browser does not support passkeys. Use a current version, or another way to confirm.";

async function askForPasskey(form) {
  const options = JSON.parse(form.dataset.options);
  const began = performance.now();
  try {
    const publicKey = form.dataset.passkey === "create"
      ? PublicKeyCredential.parseCreationOptionsFromJSON(options)
      : PublicKeyCredential.parseRequestOptionsFromJSON(options);
    const credential = form.dataset.passkey === "create"
      ? await navigator.credentials.create({ publicKey })
      : await navigator.credentials.get({ publicKey });
    return [JSON.stringify(credential), ""];
  } catch (error) {
    const late = error.name === "NotAllowedError" && performance.now() - began >= options.timeout;
    return ["", late ? TIMED_OUT : MESSAGES[error.name] ?? `The browser refused: ${error.message}`];
  }
}

for (const form of document.querySelectorAll("form[data-passkey]")) {
  const message = form.querySelector(".passkey-error");
  const button = form.querySelector("[type=submit]");
  if (location.origin !== form.dataset.origin) {
    form.querySelector(".passkey-elsewhere").hidden = false;
    button.disabled = true;
  }
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!form.reportValidity() || button.disabled) return;
    button.disabled = true;
    message.textContent = "";
    const supported = window.PublicKeyCredential?.parseRequestOptionsFromJSON;
    const [credential, problem] = supported ? await askForPasskey(form) : ["", UNSUPPORTED];
    if (credential) {
      form.elements.credential.value = credential;
      form.submit();
      return;
    }
    message.textContent = problem;
    button.disabled = false;
    button.focus();
  });
}
