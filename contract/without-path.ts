// Apart from `urls.ts`, which workflows load: their sandbox has no type of `URL`.

/** Returns scheme and host of a URL whose path may be secret, such as a webhook: `https://host/…`. */
export function withoutPath(address: string): string {
  if (!URL.canParse(address)) return '…';
  const { origin, pathname, search } = new URL(address);
  return pathname.length + search.length > 1 ? `${origin}/…` : origin;
}
