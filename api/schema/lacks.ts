/** Something that the client needs, and the document does not have. */
export type Lack = {
  readonly endpoint: string;
  /** True if only who asks for it by name needs it: rows by their kind, or a command. */
  readonly isRare: boolean;
} & (
  | { readonly type: 'endpoint' }
  /** It is sent, and the document neither names it nor allows members that it does not name. */
  | { readonly type: 'field'; readonly field: string }
  /** It must be sent, and is not. */
  | { readonly type: 'required'; readonly field: string }
  /** The client does not find what it needs in such an answer. `has`: its members. */
  | { readonly type: 'reply'; readonly status: string; readonly has: readonly string[] }
);

/** What was found out about the document. */
export interface Checked {
  readonly lacks: readonly Lack[];
  /** Endpoints whose answers it leaves open, in whole or in part. */
  readonly open: readonly string[];
  /** Endpoints that the client does not use. */
  readonly unused: readonly string[];
}
