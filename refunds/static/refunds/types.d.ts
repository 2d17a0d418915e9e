/** What the service tells the signing page. Types only, never loaded. */

type DeskStage = "connect" | "preparing" | "authorize" | "sign" | "looking" | "confirming" | "paid" | "over";

interface TypedMessage { types: object; domain: object; primaryType: string; message: object }

/** How a refund stands with its wallet. `unsigned` is what the wallet is asked now. */
interface Sight {
  stage: DeskStage; title: string; next: string; sender: string;
  unsigned: { request?: { to: string; data?: string; value?: string }; chain_id?: number; chain?: string; transaction_base64?: string; typed_data?: TypedMessage };
  refused: { code: string; title: string; next: string } | null;
  tx_hash: string; tx_url: string | null; can_state: boolean; ends_at: number;
}

/** What this tab knows: the wallet it holds, what it does now, and what went wrong. */
interface DeskState { sight: Sight; connection: Connection | null; busy: "" | "connecting" | "signing"; problem: string; goOn: boolean }

/** A button: what it does, what it says. */
interface Choice { act: "connect" | "sign"; label: string }

/** What the claim page knows: the refund's family, the wallet, where the money shall go, and what it does now. */
interface ClaimState {
  family: Family; connection: { walletId: string; name: string; family: Family; address: string } | null;
  choice: "" | "wallet" | "other"; typed: string; busy: "" | "connecting" | "signing" | "asking"; problem: string; message: string;
}

/** The claim page's words in its language: sentences, problems in three parts, and which problem each code of the API is. */
interface ClaimWords { sentences: Record<string, string>; problems: Record<string, string[]>; answers: Record<string, string> }
