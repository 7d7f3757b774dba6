import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** A certificate and its key, in PEM. */
export interface Certified {
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority of our own, and a server's certificate that it signed. Valid for a day. */
export function certify(hostname: string): { readonly ca: string; readonly server: Certified } {
  const [root, leaf] = [makeKeys(), makeKeys()];
  const issuer = nameOf('voxbatch test authority');
  const isAuthority = extension('551d13', sequence(der(0x01, Buffer.from([0xff]))));
  const names = extension('551d11', sequence(der(0x82, Buffer.from(hostname, 'latin1'))));
  const ca = signed({ issuer, subject: issuer, publicKey: root.publicKey, extensions: [isAuthority] }, root.privateKey);
  const cert = signed(
    { issuer, subject: nameOf(hostname), publicKey: leaf.publicKey, extensions: [names] },
    root.privateKey,
  );
  return { ca, server: { cert, key: leaf.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() } };
}

interface Subject {
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
}

function makeKeys(): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

/** An X.509 certificate (RFC 5280) in PEM. */
function signed({ issuer, subject, publicKey, extensions }: Subject, by: KeyObject): string {
  const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));
  const version3 = der(0xa0, der(0x02, Buffer.from([2])));
  const serial = der(0x02, Buffer.concat([Buffer.from([0x01]), randomBytes(8)]));
  const day = 86_400_000;
  const validity = sequence(time(Date.now() - day), time(Date.now() + day));
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const body = sequence(
    version3,
    serial,
    ecdsaWithSha256,
    issuer,
    validity,
    subject,
    spki,
    der(0xa3, sequence(...extensions)),
  );
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, by)]));
  const base64 = sequence(body, ecdsaWithSha256, signature).toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`;
}

function nameOf(commonName: string): Buffer {
  return sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(commonName)))));
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(oid(id), der(0x04, value));
}

function time(ms: number): Buffer {
  return der(0x18, Buffer.from(new Date(ms).toISOString().replace(/[-:T]|[.]\d+/g, ''), 'latin1'));
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

/** A value with its tag and length (DER). */
function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
