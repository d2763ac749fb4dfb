import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Makes an authority, `authority.pem`, and a certificate of localhost, `server.pem` with `server.key`, in a folder. */
export function makeCertificate(folder: string): void {
  const openssl = (...args: readonly string[]): unknown =>
    execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  writeFileSync(join(folder, 'names'), 'subjectAltName=DNS:localhost')
  const authority = ['-keyout', 'authority.key', '-out', 'authority.pem', '-subj', '/CN=authority']
  openssl('req', '-x509', ...key, ...authority)
  openssl('req', ...key, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=localhost')
  const signed = ['-CA', 'authority.pem', '-CAkey', 'authority.key', '-CAcreateserial', '-extfile', 'names']
  openssl('x509', '-req', '-in', 'server.csr', ...signed, '-out', 'server.pem')
}
