/** The embedded checkout's part on a merchant's page. No event proves a payment: fulfil on the webhook. */
(() => {
  if (window["Causeway"]) return;
  const SERVICE = new URL(/** @type {HTMLScriptElement} */ (document.currentScript).src).origin;

  /** @param {string} key @param {CheckoutOptions} options @param {EventTarget} target */
  function checkout(key, options, target) {
    const { locale = "", walletBridge } = options;
    const bridge = walletBridge !== "off";
    let { appearance } = options;
    let [intent, seq] = ["", 0];
    /** @type {any} */
    let [frame, dialog, port, first] = [];

    /** @param {string} name @param {object} [detail] */
    const emit = (name, detail) => target.dispatchEvent(new CustomEvent(name, { detail: { ...detail, intent, seq: ++seq } }));

    /** @param {object} message */
    const post = (message) => port?.postMessage({ v: 1, ...message });

    /** @param {string} path @param {string} [tail] @param {object} [query] */
    const address = (path, tail = "", query) => `${SERVICE}/${path}/${encodeURIComponent(intent)}${tail}?${new URLSearchParams({ ...query, locale })}`;

    const identify = async () => { intent ||= options.intentId || await /** @type {() => Promise<string>} */ (options.fetchIntent)(); };

    async function session() {
      await identify();
      const answer = await fetch(address("api/public/v1/checkout", "/session"), {
        method: "POST", credentials: "omit", headers: { Authorization: `Bearer ${key}` },
      });
      const { checkout_token, code, error: message, doc_url: docs_url } = await answer.json();
      if (!answer.ok) throw { code, message, docs_url };
      return checkout_token;
    }

    function unmount() {
      port?.close();
      frame?.remove();
      if (dialog) dialog.onclose = null;
      dialog?.close();
      dialog?.remove();
      frame = dialog = port = null;
    }

    /** @param {{code?: string, message: string, docs_url?: string}} reason */
    function refuse({ code = "unreachable", message, docs_url }) {
      unmount();
      console.error(`Causeway: ${message}`);
      emit("error", { code, message, docs_url });
    }

    /** All that the frame may say. @type {Record<string, any>} */
    const heard = {
      __proto__: null,
      event: (/** @type {any} */ { name, detail }) => emit(name, detail),
      resize(/** @type {any} */ { height }) {
        if (!dialog) frame.style.height = `${+height}px`;
        emit("resize", { height });
      },
      session: () => session().then((token) => post({ type: "token", token }), () => {}),
      hosted: () => location.assign(address("checkout")),
      close: unmount,
      discover: () => bridge && import(`${SERVICE}/embed/wallets-v1.js`).then(({ serve }) => serve(port, options)),
    };

    addEventListener("message", (/** @type {any} */ { source, origin, data }) => {
      if (!frame || source !== frame.contentWindow || origin !== SERVICE || data?.causeway !== 1 || data.type !== "here") return;
      const { port1, port2 } = new MessageChannel();
      const meet = (/** @type {string} */ token) =>
        source.postMessage({ causeway: 1, type: "hello", token, appearance, locale, bridge, modal: !!dialog }, SERVICE, [port2]);
      port?.close();
      port = port1;
      port.onmessage = (/** @type {MessageEvent} */ { data }) => data?.v === 1 && heard[data.type]?.(data);
      (first || session()).then(meet).catch(refuse);
      first = 0;
      if (dialog) frame.focus();
    });

    /** @param {Element} place */
    async function mount(place) {
      if (frame) return;
      const own = frame = document.createElement("iframe");
      first = session();
      await first.catch((/** @type {any} */ reason) => frame === own && refuse(reason));
      if (frame !== own) return;
      own.title = "Checkout";
      own.src = address("embed", "", { origin, theme: appearance?.theme || "" });
      own.style.cssText = `display:block;border:0;width:100%;height:${dialog ? "100%" : "40em"}`;
      place.append(own);
    }

    return {
      mount, unmount,
      open() {
        if (frame) return;
        dialog = document.createElement("dialog");
        dialog.ariaLabel = "Checkout";
        dialog.style.cssText = "border:0;padding:0;width:32em;max-width:100%;height:60em;max-height:100%;border-radius:12px;box-shadow:0 0 0 100vmax #0008";
        dialog.oncancel = (/** @type {Event} */ event) => {
          event.preventDefault();
          port ? post({ type: "leave" }) : unmount();
        };
        dialog.onclose = unmount;
        document.body.append(dialog);
        dialog.showModal();
        mount(dialog);
      },
      redirect: () => identify().then(() => location.assign(address("checkout")), refuse),
      /** @param {string} name @param {(detail: any) => void} listener */
      on(name, listener) {
        target.addEventListener(name, (event) => listener(/** @type {CustomEvent} */ (event).detail));
        return this;
      },
      /** @param {object} look */
      update(look) {
        appearance = look;
        post({ type: "update", appearance });
      },
      destroy() {
        unmount();
        target = new EventTarget();
      },
    };
  }

  /** @param {string} [key] */
  const Causeway = (key = "") => {
    if (!/^pk_/.test(key)) throw new Error("Causeway takes a publishable key (pk_…). Never show another key to a browser.");
    return { checkout: (/** @type {CheckoutOptions} */ options, target = new EventTarget()) => checkout(key, options, target) };
  };
  window.Causeway = Causeway;

  customElements.define("causeway-checkout", class extends HTMLElement {
    connectedCallback() {
      const of = (/** @type {string} */ name) => /** @type {any} */ (this.getAttribute(name) || undefined);
      this.style.display = "block";
      this.checkout = Causeway(of("key")).checkout({ intentId: of("intent"), locale: of("locale"), walletBridge: of("wallet-bridge"), appearance: { theme: of("theme") } }, this);
      this.checkout.mount(this);
    }
    disconnectedCallback() { this.checkout?.destroy(); }
  });
})();
