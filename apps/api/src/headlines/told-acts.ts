import type { HttpMethod } from '#contracts';
import type { Step } from '../request-reading/path-steps.js';
import { isShownWhole } from '../request-reading/request-summary.js';
import type { NamedValue } from './named-values.js';
import { joined, name, textOf, valueOf, type PlainRequest, type ToldAct } from './told-act.js';
import { tellMail, tellMessage } from './told-messages.js';
import { tellMoney } from './told-money.js';
import { showValue, type Shown } from './value-texts.js';

type Parameters = Readonly<Record<string, string>>;
type Told = (given: Parameters, request: PlainRequest) => ToldAct | null;

const merge: Told = ({ owner, repo, number }) => joined(['Merge ', name(owner), '/', name(repo), ' #', name(number)]);

const VISIBILITIES = new Set(['public', 'private', 'internal']);

/** `Make acme/shop public` */
function changeVisibility(thing: readonly (Shown | string)[], request: PlainRequest): ToldAct | null {
  const visibility = valueOf(request, 'visibility');
  const isPrivate = valueOf(request, 'private');
  const told = textOf(visibility);
  if (visibility && !isPrivate && told !== null && VISIBILITIES.has(told)) {
    return joined(['Make ', ...thing, ` ${told}`], [visibility]);
  }
  if (!visibility && typeof isPrivate?.value === 'boolean') {
    return joined(['Make ', ...thing, isPrivate.value ? ' private' : ' public'], [isPrivate]);
  }
  return null;
}

const publishProject: Told = ({ project }, request) =>
  valueOf(request, 'private') ? null : changeVisibility(['project ', name(project)], request);

const scale: Told = ({ namespace, name: workload }, request) => {
  const replicas = valueOf(request, 'replicas');
  if (typeof replicas?.value !== 'bigint') return null;
  return joined(['Scale ', name(workload), ` to ${replicas.value} in `, name(namespace)], [replicas]);
};

const addMember: Told = ({ org, user }, request) => {
  const role = valueOf(request, 'role');
  const told = role?.value === 'admin' ? 'owner' : role?.value === 'member' ? 'member' : null;
  return role && told !== null ? joined(['Add ', name(user), ` as organisation ${told} · `, name(org)], [role]) : null;
};

const addCollaborator: Told = ({ owner, repo, user }, request) => {
  const permission = valueOf(request, 'permission');
  const access = permission ? [' ', showValue(permission.value), ' access to '] : [' access to '];
  return joined(['Give ', name(user), ...access, name(owner), '/', name(repo)], permission ? [permission] : []);
};

const shareFile: Told = ({ file }, request) => {
  const [type, role] = [valueOf(request, 'type'), valueOf(request, 'role')];
  const who = valueOf(request, 'emailaddress', 'domain');
  if (!type || !role || (type.value !== 'anyone' && !who)) return null;
  const withWhom = type.value === 'anyone' ? 'anyone' : showValue(who!.value);
  const used = type.value === 'anyone' ? [type, role] : [role, who!, type];
  const group = type.value === 'anyone' || type.value === 'user' ? '' : ` (${showValue(type.value).text})`;
  return joined(['Share file ', name(file), ' with ', withWhom, group, ' as ', showValue(role.value)], used);
};

/** Of Kubernetes, with one subject. */
const bindRole: Told = ({ namespace }, request) => {
  const [role, who] = [valueOf(request, 'roleref.name'), valueOf(request, 'subjects.name')];
  if (!role || !who) return null;
  const where = namespace ? [' in ', name(namespace)] : [' in the whole cluster'];
  return joined(['Give ', showValue(who.value), ' the role ', showValue(role.value), ...where], [role, who]);
};

/** Acts at paths that one API has, or several alike. The end of the path is compared. */
const AT_PATHS: readonly (readonly [methods: readonly HttpMethod[], path: string, told: Told])[] = [
  [['PUT'], 'repos/:owner/:repo/pulls/:number/merge', merge],
  [
    ['PUT'],
    'projects/:project/merge_requests/:number/merge',
    ({ project, number }) => joined(['Merge !', name(number), ' of project ', name(project)]),
  ],
  [
    ['PATCH'],
    'repos/:owner/:repo',
    ({ owner, repo }, request) => changeVisibility([name(owner), '/', name(repo)], request),
  ],
  [['PUT'], 'projects/:project', publishProject],
  ...['deployments', 'statefulsets', 'replicasets'].flatMap((kind) =>
    ['', '/scale'].map((end) => [['PATCH', 'PUT'], `namespaces/:namespace/${kind}/:name${end}`, scale] as const),
  ),
  [['PUT'], 'orgs/:org/memberships/:user', addMember],
  [['PUT'], 'repos/:owner/:repo/collaborators/:user', addCollaborator],
  [['POST'], 'files/:file/permissions', shareFile],
  [['POST'], 'clusterrolebindings', bindRole],
  [['POST'], 'namespaces/:namespace/rolebindings', bindRole],
];

const IDS = /^(?:\w*_)?(?:ids?|keys?|uuids?|records|messages|names)(?:\[\])?$/i;

/** `Delete 3 customers · ids: 1, 2, 3` */
function tellDeletion({ method, steps, values, thing }: PlainRequest): ToldAct | null {
  if (method !== 'DELETE' || steps.length === 0 || steps.at(-1)!.isIdentifier) return null;
  const lists = values.filter(({ value, path }) => isList(value) && IDS.test(path.at(-1) ?? 'ids'));
  if (lists.length !== 1) return null;
  const [{ value }] = lists;
  return joined([`Delete ${isList(value) ? value.count : 0} `, { text: thing, isWhole: !thing.includes('…') }]);
}

const isList = (value: NamedValue['value']): value is Extract<NamedValue['value'], { count: number }> =>
  typeof value === 'object' && value !== null && value.count > 1;

const asFarAsShown = (act: ToldAct, { steps }: PlainRequest): ToldAct =>
  steps.every(isShownWhole) ? act : { ...act, isWhole: false };

/** What a plain request does, where more can be said than its method and path. */
export function toldAct(request: PlainRequest): ToldAct | null {
  for (const [methods, path, told] of AT_PATHS) {
    const given = methods.includes(request.method) ? parametersIn(path, request.steps) : null;
    const act = given && told(given, request);
    if (act) return asFarAsShown(act, request);
  }
  const act = tellMail(request) ?? tellMessage(request) ?? tellMoney(request) ?? tellDeletion(request);
  return act && asFarAsShown(act, request);
}

/** `v1` is a version, also behind a name: `/apis/apps/v1`. */
const isOneThing = ({ text, isIdentifier }: Step): boolean => isIdentifier && !/^v\d\w{0,8}$/.test(text);

/** Null: it is another path. */
function parametersIn(path: string, steps: readonly Step[]): Parameters | null {
  const wanted = path.split('/');
  const given = steps.slice(-wanted.length);
  // What stands before it may be the name of the API, and not of one thing.
  const before = steps.slice(0, -wanted.length);
  if (given.length < wanted.length || before.some(isOneThing)) return null;
  const parameters: Record<string, string> = {};
  for (const [index, each] of wanted.entries()) {
    if (each.startsWith(':')) parameters[each.slice(1)] = given[index].text;
    else if (each !== given[index].text) return null;
  }
  return parameters;
}
