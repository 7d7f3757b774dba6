import { mkdirSync, writeFileSync } from 'node:fs';
import { request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import type { Reader } from '../../client/status/open-reader.ts';
import { CSRF_HEADER } from '../../page/protocol.ts';
import { openPage, type Page, type PageOptions } from '../../page/server.ts';
import { nextWords } from '../../starters/rows/explain.ts';
import { noteLines, stateWord } from '../../starters/terminal/status-words.ts';
import { lazyFileReader } from '../../store/open-store.ts';
import { FILE } from '../ledger/actions.ts';
import { ledger } from '../ledger/setup.ts';
import { endAfterTest } from '../support/end-after-test.ts';
import { freshFolder } from '../support/fresh-folder.ts';

/** An answer of the page. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The page over the ledger of the test, and a store whose only file is that of `FILE`. */
export class PageWorld {
  readonly page: Page;
  readonly origin: string;
  cookie: string | undefined;
  token: string | undefined;

  private constructor(page: Page) {
    this.page = page;
    this.origin = new URL(page.address).origin;
    endAfterTest(() => page.close());
  }

  /** `slow`: what answers slow questions. Default: the same ledger. `cluster`: where Temporal is. Default: in the folder, where none runs. */
  static async open({
    slow = () => Promise.resolve(ledger),
    cluster,
    ...options
  }: Partial<PageOptions> &
    Partial<Pick<Reader, 'slow'>> &
    Partial<Pick<Reader['settings'], 'cluster'>> = {}): Promise<PageWorld> {
    const folder = freshFolder();
    mkdirSync(join(folder, 'b'));
    writeFileSync(join(folder, FILE.key), 'abc');
    const settings = {
      home: folder,
      ledger: ledger.place,
      isLedgerNamed: true,
      store: folder,
      config: {},
      cluster,
      env: {},
    };
    const reader: Reader = {
      ...{ settings, ledger, files: lazyFileReader(folder) },
      slow,
      close: () => Promise.resolve(),
    };
    const words = {
      standing: stateWord,
      status: (status: Parameters<typeof noteLines>[0]) => noteLines(status, 0),
      row: nextWords,
    };
    const shell = { type: 'text/html; charset=utf-8', body: Buffer.from('<!doctype html><head></head>') };
    return new PageWorld(
      await openPage(
        { reader, words, version: '0', batch: 'b', ...options },
        new Map([
          ['/batch', shell],
          ['/', shell],
        ]),
      ),
    );
  }

  /** Opens the printed address as a browser does, and keeps its cookie. */
  async enter(): Promise<Answer> {
    const { pathname, search } = new URL(this.page.address);
    const answer = await this.ask(pathname + search);
    this.cookie = answer.headers['set-cookie']?.[0]?.split(';')[0];
    this.token ??= / content="([^"]+)"/.exec(answer.body)?.[1];
    return answer;
  }

  /** One request. The path goes out as it is, whatever is in it. */
  ask(path: string, headers: OutgoingHttpHeaders = {}, method = 'GET', body?: string): Promise<Answer> {
    const { hostname, port } = new URL(this.origin);
    const cookie = this.cookie === undefined ? {} : { cookie: this.cookie };
    const token = this.token === undefined ? {} : { [CSRF_HEADER]: this.token };
    const all = Object.entries({ ...cookie, ...token, ...headers }).filter(([, value]) => value !== undefined);
    return new Promise((resolve, reject) => {
      const asked = request(
        { ...{ hostname, port, path, method, agent: false }, headers: Object.fromEntries(all) },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
          response.on('end', () => {
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
          });
          response.on('error', reject);
        },
      );
      asked.on('error', reject);
      asked.end(body);
    });
  }

  /** The answer of a path that must have one. */
  async json<T>(path: string): Promise<T> {
    const { status, body } = await this.ask(path);
    if (status !== 200) throw new Error(`${path} was answered with ${String(status)}: ${body}`);
    return JSON.parse(body) as T;
  }

  /** Listens to a stream; resolves with the connection once its first event is there. */
  listen(path: string): Promise<{ readonly first: string; readonly closed: Promise<void> }> {
    const { hostname, port } = new URL(this.origin);
    return new Promise((resolve, reject) => {
      const asked = request(
        { hostname, port, path, agent: false, headers: { cookie: this.cookie ?? '', [CSRF_HEADER]: this.token ?? '' } },
        (response) => {
          const closed = new Promise<void>((end) => response.once('close', end));
          response.on('error', () => undefined);
          response.setEncoding('utf8').once('data', (first: string) => {
            resolve({ first, closed });
          });
          if (response.statusCode !== 200) reject(new Error(String(response.statusCode)));
        },
      );
      asked.on('error', reject);
      asked.end();
    });
  }
}
