/**
 * Runs the tests of the page in a real browser: `npm run test:browser`. Without one they cannot run, which counts as a failure.
 * It is found in `CHROMIUM_BIN` or on the PATH; Debian's is `apt-get install --no-install-recommends chromium fonts-dejavu-core`.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const TESTS = 'test/live/in-browser/';

function findBrowser() {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const places = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return [process.env['CHROMIUM_BIN'], ...places].find((path) => {
    if (!path) return false;
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

const browser = findBrowser();
if (browser === undefined) {
  console.error(
    `THE TESTS OF THE PAGE DID NOT RUN: there is no Chromium here (${TESTS}). Install one, or set CHROMIUM_BIN.`,
  );
  process.exitCode = 1;
} else {
  const chosen = process.argv.slice(2);
  const args = [join(import.meta.dirname, 'run-tests.mjs'), ...(chosen.length > 0 ? chosen : [TESTS])];
  const { status } = spawnSync(process.execPath, args, {
    env: { ...process.env, TEST_BROWSER: browser },
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
}
