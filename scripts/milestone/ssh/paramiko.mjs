/** paramiko, the library of Python that Netmiko, NAPALM and Nornir use. */
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { done, must } from '../../lib/words.mjs';
import { ends, home, run } from './client.mjs';

const script = `
import json, os, paramiko
port, user, token, known, sent, back = json.loads(os.environ['MEANS'])
client = paramiko.SSHClient()
client.load_host_keys(known)
client.set_missing_host_key_policy(paramiko.RejectPolicy())
login = dict(port=port, username=user, allow_agent=False, look_for_keys=False)
try:
    client.connect('127.0.0.1', password='tok_00000000_wrong', **login)
    raise SystemExit('a wrong token was accepted')
except paramiko.AuthenticationException:
    pass
client.connect('127.0.0.1', password=token, **login)

def run(command, text=''):
    stdin, stdout, stderr = client.exec_command(command)
    stdin.write(text)
    stdin.channel.shutdown_write()
    out, said = stdout.read().decode(), stderr.read().decode()
    return stdout.channel.recv_exit_status(), out, said

place = run('mktemp -d')[1].strip()
sftp = client.open_sftp()
sftp.put(sent, place + '/there')
size = sftp.stat(place + '/there').st_size
sftp.get(place + '/there', back)
sftp.remove(place + '/there')
sftp.rmdir(place)
sftp.close()
print(json.dumps([run('cat; echo wrong >&2; exit 7', 'hello'), size]))
client.close()
`;

/** The first Python that has paramiko: one on PATH may be that of netlab. */
async function python() {
  for (const file of ['python3', '/usr/bin/python3']) {
    const { code } = await run(file, ['-c', 'import paramiko']);
    if (code === 0) return file;
  }
  throw new Error('no python3 has paramiko');
}

/** @param {import('./client.mjs').LabOverSsh} lab @param {{ far: string }} nodes */
export async function runParamiko({ instance, port, knownHosts, token }, { far }) {
  const [sent, back] = [path.join(home, 'for-paramiko'), path.join(home, 'of-paramiko')];
  writeFileSync(sent, randomBytes(1_000_000));
  const env = { MEANS: JSON.stringify([port, `${far}.${instance}`, token, knownHosts, sent, back]) };
  const out = ends(0, await run(await python(), ['-c', script], { env }));
  const wanted = '[[7, "hello", "wrong\\n"], 1000000]\n';
  must(out === wanted, `paramiko got ${out}`);
  must(readFileSync(back).equals(readFileSync(sent)), 'paramiko got another file back');
  done('paramiko: a token as password, a command with its exit code, sftp both ways');
}
