import { expect, it } from '@jest/globals';
import { isPrivateAddress } from '../../api/network.ts';

const PRIVATE = [
  ...'127.0.0.1 0.0.0.0 10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.64.0.1'.split(' '),
  ...'198.18.0.5 224.0.0.1 255.255.255.255 :: ::1 fd00::1 fe80::1 fe80::1%eth0 ff02::1 ::ffff:10.0.0.1'.split(' '),
  ...'::ffff:a00:1 ::7f00:1 64:ff9b::a00:1 64:ff9b:1::1 2002:a00:1:: 2001::1'.split(' '),
  'no address',
];
const PUBLIC = [
  ...'8.8.8.8 172.15.255.255 172.32.0.0 100.128.0.1 2606:4700::1111 2a00:1450::1'.split(' '),
  ...'::ffff:8.8.8.8 64:ff9b::808:808'.split(' '),
];

it.each(PRIVATE)('%s is private', (address) => expect(isPrivateAddress(address)).toBe(true));

it.each(PUBLIC)('%s is not private', (address) => expect(isPrivateAddress(address)).toBe(false));
