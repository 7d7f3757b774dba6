/** JSON as text, not as a JSON type, so that both databases keep it unchanged. */
export type Json = string;
