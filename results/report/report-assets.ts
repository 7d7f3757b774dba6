import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';

/** What runs in the browser, and the policy that allows it and nothing else. */
export interface ReportAssets {
  readonly script: string;
  readonly style: string;
  /** Content security policy. */
  readonly policy: string;
}

let known: ReportAssets | undefined;

/** Reads the browser's side of the report, as `npm run build` made it. */
export function reportAssets(): ReportAssets {
  return (known ??= read());
}

function read(): ReportAssets {
  const [script, style] = [readBuilt('report.js'), readBuilt('report.css')];
  if (/<\/(?:script|style)|<!--/iu.test(script + style))
    throw new Error('The script of the report would end its element: build it so that it does not.');
  // The page's own files are beside it on a disk (`file:`), or on the server that it came from.
  const policy = `default-src 'none'; script-src '${hashOf(script)}'; style-src '${hashOf(style)}'; media-src 'self' file:; base-uri 'none'; form-action 'none'`;
  return { script, style, policy };
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** From TypeScript source it is where the build puts it. */
function readBuilt(name: string): string {
  const places = [`../../page/${name}`, `../../dist/page/${name}`].map((path) => new URL(path, import.meta.url));
  const place = places.find((one) => existsSync(one));
  if (place === undefined) throw new Error(`${name} is missing: npm run build makes it.`);
  return readFileSync(place, 'utf8');
}
