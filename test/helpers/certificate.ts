/** A key pair, and certificates of it that no authority signed. */
import { generateKeyPairSync } from 'node:crypto';
import forge from 'node-forge';

/** Keys as PEM texts. */
export const KEY_PAIR = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

/** A certificate for this machine as a PEM text, by default one that is valid. */
export function selfSigned({ host = 'localhost', ended = false } = {}): string {
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(KEY_PAIR.publicKey);
  certificate.serialNumber = '01';
  certificate.validity.notBefore = new Date('2020-01-01');
  certificate.validity.notAfter = new Date(ended ? '2021-01-01' : '2120-01-01');
  const names = [{ name: 'commonName', value: 'a service of the test' }];
  certificate.setSubject(names);
  certificate.setIssuer(names);
  certificate.setExtensions([{ name: 'subjectAltName', altNames: [{ type: 2, value: host }] }]);
  certificate.sign(forge.pki.privateKeyFromPem(KEY_PAIR.privateKey), forge.md.sha256.create());
  return forge.pki.certificateToPem(certificate);
}
