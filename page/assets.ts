import { existsSync, readFileSync } from 'node:fs';
import { TOKEN_META } from './protocol.ts';

/** A static file of the page. It holds no data of the user, so it is served without a session. */
export interface Asset {
  /** Its MIME type. */
  readonly type: string;
  readonly body: Buffer;
}

/** Paths that all serve the same HTML; the script shows the view that belongs to the path. */
const VIEW_PATHS = ['/', '/batch', '/unknown', '/schedules'];

/** Sent with every answer: the browser may load and run nothing but what this server serves. */
export const SECURITY_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; media-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
} as const;

const HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>voxbatch</title>
<link rel="icon" href="/icon.svg">
<link rel="stylesheet" href="/page.css">
<script type="module" src="/page.js"></script>
</head>
<body><div id="page"><header class="top"><span class="brand">voxbatch</span></header></div></body>
</html>
`;

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#1f6f4a"/><path d="M3 8h1M6 5v6M9 3v10M12 6v4" stroke="#fff" stroke-width="1.6" stroke-linecap="round"/></svg>`;

/** Returns the page's HTML with the CSRF token for the browser that redeemed the ticket. */
export function withToken(html: Buffer, token: string): Buffer {
  const meta = `<meta name="${TOKEN_META}" content="${token}">`;
  return Buffer.from(html.toString().replace('<head>', `<head>\n${meta}`));
}

/** Reads all static files of the page, by path. */
export function readAssets(): ReadonlyMap<string, Asset> {
  const html = { type: 'text/html; charset=utf-8', body: Buffer.from(HTML) };
  return new Map<string, Asset>([
    ...VIEW_PATHS.map((path) => [path, html] as const),
    ['/page.js', { type: 'text/javascript; charset=utf-8', body: readBuilt('browser.js') }],
    ['/page.css', { type: 'text/css; charset=utf-8', body: readBuilt('browser.css') }],
    ['/icon.svg', { type: 'image/svg+xml', body: Buffer.from(ICON) }],
  ]);
}

/** Reads a bundle of `npm run build`: beside this file in `dist/`, or in `dist/` when this runs from source. */
function readBuilt(name: string): Buffer {
  const places = [`./${name}`, `../dist/page/${name}`].map((path) => new URL(path, import.meta.url));
  const place = places.find((url) => existsSync(url));
  if (place === undefined) throw new Error(`${name} of the page is missing: npm run build makes it.`);
  return readFileSync(place);
}
