/** What the page knows more of when it stands in a frame. Types only, never loaded. */

interface Context {
  embedded?: boolean;
  /** The merchant's page: the one origin that is spoken to. */
  host_origin?: string;
  frame?: { watch(state: PageState): void };
}

/** The host script's first word, with the port for all others. */
interface Hello { token: string; appearance?: { theme?: string }; bridge: boolean; modal: boolean; port: MessagePort }

/** Says something to the host script. */
type Say = (type: string, more?: object) => void;

/** What the host script tells of a wallet: data that anybody may have written. */
interface LentWallet { id: string; family: string; name: string; icon: string; rdns: string; chains: unknown; features: unknown }
