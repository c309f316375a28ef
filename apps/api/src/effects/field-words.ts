/**
 * Names of parameters and fields that say what a request does (docs/reference/effects.md#fields). Base forms only; a hyphen
 * joins words that mean something together only.
 */
import type { Effect } from '#contracts/effects';

const words = (table: string): ReadonlySet<string> => new Set(table.split(/\s+/));

/** Parameters that make a documented operation change nothing. `preview` and `test` also are fields of real writes. */
export const DRY_RUNS = words(
  'dry-run dryrun validate-only validateonly only-validate simulate-only what-if whatif check-only preview-only preview-run validation-only plan-only',
);

/** Parameters that name the act itself: `operation=delete`. */
export const NAMES_ACT = words(
  'action operation op method command cmd act function func procedure request-type mutation event-type type-of-action transition task _method kind-of-action rpc query-type statement-type',
);

/** What a value must be for a name to count. */
export type ValueKind = 'url' | 'on' | 'off' | 'text' | 'filled' | 'address' | 'list';

export interface FieldRule {
  names: ReadonlySet<string>;
  value: ValueKind;
  effects: readonly Effect[];
  /** For the reason: `the field "role" decides who may do what`. */
  says: string;
}

export const FIELD_RULES: readonly FieldRule[] = [
  {
    names:
      words(`delete remove purge destroy erase archived in-trash trashed deleted is-deleted is-archived allow-deleting-content
      delete-all remove-all force force-delete hard-delete permanent permanently overwrite delete-contacts delete-subtasks
      cascade _destroy truncate force-delete-rules delete-all-contacts skip-trash force-destroy purge-data wipe
      remove-existing replace-all replace-existing reset-hard allow-destroy delete-branch force-push drop delete-data`),
    value: 'on',
    effects: ['delete'],
    says: 'takes away',
  },
  {
    names: words(`all delete-all all-contacts select-all apply-to-all delete-all-contacts everyone include-all all-users
      recursive cascade purge-everything match-all send-to-all delete-subtasks all-records`),
    value: 'on',
    effects: ['bulk'],
    says: 'concerns everything',
  },
  {
    names:
      words(`role roles permission permissions permission-level access-level scope scopes acl grant grants grantee privilege
      privileges is-admin admin superuser is-superuser is-owner site-admin super-admin role-id role-ids role-name role-definition-id
      permission-set access-role default-role org-role allowed-ip cidr-ip ip-ranges cidr cidr-block policy-arn policy-document
      default-permission-level general-access access-control policies permission-groups launch-permission groups group-ids groups-id grant-types allowed-origins add-parents remove-parents assume-role-policy-document groups-to-add
      impersonate-as target-permission user-role administrator iam-policy add-roles bypass-actors collaborator-role`),
    value: 'filled',
    effects: ['permissions'],
    says: 'decides who may do what',
  },
  {
    names: words(
      `blocked is-blocked suspended is-suspended banned is-banned deactivated is-deactivated disabled is-disabled`,
    ),
    value: 'on',
    effects: ['permissions'],
    says: 'takes access away',
  },
  {
    names:
      words(`public is-public make-public publicly-accessible anonymous anonymous-access allow-anonymous world-readable
      link-sharing public-access is-public-template publicly-visible anyone share-publicly public-link open-to-public`),
    value: 'on',
    effects: ['permissions', 'publishing'],
    says: 'makes it public',
  },
  {
    names: words(`private is-private block-public-access block-public-acls restrict-public-buckets ignore-public-acls
      block-public-policy draft`),
    value: 'off',
    effects: ['publishing'],
    says: 'takes it out of what only some see',
  },
  {
    names:
      words(`published publish is-published notify customer-note send-email send-mail send-notification notify-customer send-now send-invoice
      notify-customers notify-all post-publicly send-receipt email-customer send-to-customer send-message go-live broadcast`),
    value: 'on',
    effects: ['publishing'],
    says: 'reaches people outside',
  },
  {
    names: words(
      `recipients recipient-list recipient-ids to-numbers phone-numbers recipient-numbers destination-numbers`,
    ),
    value: 'list',
    effects: ['publishing'],
    says: 'names whom it reaches',
  },
  {
    names:
      words(`password passphrase secret client-secret api-key apikey access-key secret-key private-key token auth-token
      access-token refresh-token signing-secret webhook-secret credentials credential new-password passwd pem certificate
      secret-value bearer-token basic-auth-password secret-string auth-password reset-password encrypted-value ssh-key
      public-key secret-access-key hmac-secret root-password admin-password master-password master-user-password`),
    value: 'text',
    effects: ['credentials'],
    says: 'sets a secret',
  },
  {
    names:
      words(`webhook-url callback-url callback notification-url webhook hook-url target-url post-url delivery-url endpoint
      endpoint-url status-callback voice-url sms-url forward-to forwarding-email forward redirect-uri redirect-uris redirect-url
      callbacks callback-uri notify-url push-endpoint hook payload-url webhook-endpoint destination-url http-endpoint
      status-callback-url voice-fallback-url forwarding-address forward-to-address redirect-urls sns-topic-arn topic-name
      service-url push-url destination bucket bucket-name s3-bucket destination-bucket audit-webhook delivery-address listener-url notification-endpoint sink-url remote-url git-url`),
    value: 'address',
    effects: ['credentials'],
    says: 'sends data to an address from now on',
  },
  {
    names:
      words(`amount unit-amount total-amt total-amount price unit-price amount-cents price-cents price-amount amount-money refund-amount
      sale-price regular-price compare-at-price discount-amount credit-amount budget-amount spend-limit monthly-budget budget
      threshold-amount charge-amount transfer-amount payment-amount gross-amount net-amount fee-amount discount-percent
      percent-off amount-off credit-limit bank-account-number account-number iban routing-number payment-method
      payment-method-id card-number vendor-payment-bank-detail payout currency-amount salary refund refunds price-data
      line-amount amount-due discount balance transactions payment-source sort-code bank-account value-wei payout-account
      beneficiary payee currency currency-code bank-details bank-account-details account-holder bsb swift bic swift-code direct-debit`),
    value: 'filled',
    effects: ['money'],
    says: 'is about money',
  },
  {
    names: words(`script command cmd source-code shell exec entrypoint user-data userdata startup-script run deploy
      docker-image image-uri image inline-code function-code buildspec build-command start-command user-data-script init-script
      container-image groovy jenkinsfile lambda-function auto-deploy deploy-on-push install-script post-install eval
      expression-code javascript python-code run-command commands custom-script maintenance maintenance-mode
      traffic traffic-percent traffic-split traffic-weight rollout rollout-percentage replicas replica-count num-replicas
      min-replicas max-replicas desired-count desired-capacity instance-count num-instances number-of-instances
      min-instances max-instances min-instance-count max-instance-count dyno-size instance-type machine-type autoscaling
      auto-scaling scaling sync-policy automated auto-sync self-heal auto-update auto-upgrade system-prompt
      system-instruction system-instructions system-message first-message repo-url repository-url git-repository
      target-revision source-repo image-tag image-name helm-chart node-count deployment-strategy build-script`),
    value: 'filled',
    effects: ['code'],
    says: 'decides what runs',
  },
];

/** Fields that hold a state, and the states that count. */
export const STATE_NAMES = words(
  'state status visibility privacy access permission-level prefs-permission-level group principal allow-access-to entity share share-type scope type audience sharing acl privacy-level access-type listing-status publish-status email-status general-access action-type mode active-status decision verdict resolution approval-status approval-state review-status review-state outcome',
);
export const STATE_RULES: readonly { values: ReadonlySet<string>; effects: readonly Effect[]; says: string }[] = [
  {
    values: words(
      'public all open anonymous anyone world global everyone public-read public-read-write unlisted all-users worldwide publicly internet internet-facing external anyone-with-link anyone-with-the-link anyone-can-view anyone-on-the-internet all-authenticated-users allusers allauthenticatedusers',
    ),
    effects: ['permissions', 'publishing'],
    says: 'makes it public',
  },
  {
    values: words('approved approve granted authorized authorised whitelisted'),
    effects: ['permissions'],
    says: 'approves it',
  },
  { values: words('disabled suspended deactivated'), effects: ['permissions'], says: 'switches it off' },
  { values: words('forward forwarding'), effects: ['credentials'], says: 'sends data to an address from now on' },
  {
    values: words(
      'published publish live published-live needtosend need-to-send sent broadcast publicly-listed scheduled-send',
    ),
    effects: ['publishing'],
    says: 'publishes it',
  },
  {
    values: words('deleted archived trashed terminated destroyed purged removed wiped void voided'),
    effects: ['delete'],
    says: 'takes it away',
  },
];

/** Switches of protections, which `off` makes weaker. */
export const PROTECTIONS = words(
  'require requires required enforce enforces enforced protect protected protection restrict restricted verify verified mfa sso two-factor secure lock locked moderated moderation encrypted encryption encrypt auth authentication authenticate authenticated authorization scrub scrubber scrubbing mask masked masking redact redaction anonymize anonymise sanitize validate validation firewall waf captcha recaptcha passcode 2fa csrf hsts csp ssl tls https throttle throttling retention waiting-room quarantine dlp pii guardrail guardrails safety antivirus malware signed strict sandbox sandboxed password passcode pin audit retain backup termination deletion-protection destructive admin-enforced approval approvals approving recovery backups versioning logging',
);
/** Switches that make a protection weaker if they are on. */
export const WEAKENS =
  /^(?:allows?-(?:force|all|any|unauth|anonym|external|guest|public|insecure|forks?|self|bypass|unverified|delet|list-of)|disables?-.*(?:auth|mfa|2fa|protection|verification|security|ssl|tls|check|rule|alert|log|audit|approval)|skips?-.*(?:auth|verification|approval|confirmation|final)|bypass|insecure|unrestricted|enable-(?:ssh|debug|root)|auto-(?:approve|merge)|suppress|mute|.*-(?:bypass|insecure)$)/;
/** Switches whose names say that a secret is given away, or that something runs. */
export const SWITCHES: readonly { words: ReadonlySet<string>; effect: Effect; says: string }[] = [
  {
    words: words('secret secrets credential credentials env password passwords token tokens'),
    effect: 'credentials',
    says: 'concerns secrets',
  },
  {
    words: words('build builds deploy deployment workflows execute autorun'),
    effect: 'code',
    says: 'decides what runs',
  },
];
/** Names of permissions and secrets, whatever stands before them: `database-role`. */
export const SUFFIXES: readonly { name: RegExp; value: ValueKind; effects: readonly Effect[]; says: string }[] = [
  {
    name: /(?:^|-)(?:roles?|permissions?|privileges?|acl|access-levels?)(?:-(?:ids?|names?))?$/,
    value: 'filled',
    effects: ['permissions'],
    says: 'decides who may do what',
  },
  {
    name: /(?:^|-)(?:passwords?|secrets?|api-keys?|private-keys?|passphrase)$/,
    value: 'text',
    effects: ['credentials'],
    says: 'sets a secret',
  },
  {
    name: /(?:^|-)(?:webhooks?|callbacks?|hook|endpoint|notifications?|notify|postback|redirect|forward(?:ing)?|delivery|destination|dest|dst|upstream|remote|mirror|collector|target|sink|output|export|archive|receiver|subscriber|listener|push|interactions?|events?|relay)(?:-[a-z]+){0,2}-(?:urls?|uris?|dsn|hosts?|address|endpoint|emails?)$/,
    value: 'address',
    effects: ['credentials'],
    says: 'sends data to an address from now on',
  },
  {
    name: /(?:^|-)(?:amount|price|payout|refund|salary|salaries|wages?|compensation|pay-rate|bonus|commission|hourly-rate|day-rate|base-pay|overtime-rate)(?:-(?:cents|micros|value|money))?$/,
    value: 'filled',
    effects: ['money'],
    says: 'is about money',
  },
  {
    name: /(?:^|-)(?:iban|bic|swift-code|routing-number|sort-code|bsb|bank-account|bank-details?|bank-code|payout-account|payee|beneficiary)(?:-[a-z]+)?$/,
    value: 'filled',
    effects: ['money'],
    says: 'decides where money goes',
  },
  {
    name: /^(?:address|target|sink|uri)$/,
    value: 'url',
    effects: ['credentials'],
    says: 'sends data to an address from now on',
  },
];
/** A file that decides what runs. */
export const CODE_FILE =
  /(?:^|\/)(?:\.github\/workflows\/|\.gitlab-ci|\.circleci\/|jenkinsfile|dockerfile|docker-compose|makefile|azure-pipelines|bitbucket-pipelines|buildspec|\.husky\/|\.travis|package\.json|procfile|vercel\.json|netlify\.toml|cloudbuild|\.drone)|\.(?:liquid|php\d?|jspx?|aspx?|cgi|sh|ps1|bat|exe|tf|service|rego)$/i;
/** A file that holds secrets. `.env.example` holds none. */
export const SECRET_FILE =
  /(?:^|[/\\])(?:\.env(?:rc|\.(?!example|sample|template|dist)[\w-]+)*|id_(?:rsa|dsa|ecdsa|ed25519)|\.netrc|\.pgpass|\.my\.cnf|\.npmrc|\.pypirc|\.htpasswd|\.git-credentials|\.dockerconfigjson|\.docker\/config\.json|\.aws\/[\w-]+|\.ssh\/[\w.-]+|\.kube\/config|kubeconfig|shadow|passwd|wp-config\.php|(?:client_?)?(?:credentials?|secrets?)(?:[._-][\w-]+)*(?:\.(?:json|ya?ml|toml|ini|txt|env|properties))?|service[_-]?account[\w-]*\.json|[\w.-]*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|tfvars|tfstate))$/i;
export const FILE_NAMES = words('path key file-path file filename file-name key-name');

/** Values that open something to everybody, whatever the field is called. */
export const SURELY_PUBLIC =
  /^(?:all_?users|all_?authenticated_?users|public-read(?:-write)?|publicly|anyone[_ -]?with[_ -]?(?:the[_ -]?)?link|0\.0\.0\.0\/0|::\/0)$/i;

/** A script in a text. Who opens the page runs it. */
export const PAGE_SCRIPT = /<script\b|\bjavascript:|\bon(?:load|error|click|mouseover)\s*=\s*["']/i;
/** An act in a text that is a rule: `forward("https://…")`. */
export const SENDS_ON =
  /\b(?:forward|redirect|webhook|post|relay|copy|send|http|call|url)\s*\(\s*["']?(?:[a-z][\w+.-]*:\/\/|[^\s@"')]+@)/i;

/** Ways by which a message leaves. */
export const MESSAGE_WAYS = words('email sms mms whatsapp push mail voice letter fax');
export const WAY_NAMES = words('message-type channel-type medium delivery-method delivery-channel kind via type');
/** Mentions that reach everybody in a place. */
export const BROADCAST = /<!(?:channel|here|everyone)\b|@(?:everyone|here|channel|all)\b/;
/** Other names that hold who may see something. */
export const AUDIENCE_NAME = /(?:^|-)(?:privacy|visibility|access|sharing|share|audience|permission)(?:-|$)/;
/** Parameters that say whether people are told: `sendUpdates=all`. */
export const TELLS = /^(?:send|resend|notify|remind)-/;
/** A text that runs. */
export const SOURCE = /[;{}=]|\(.*\)|\n/;

/** Names whose `true` throws a thing away. */
export const TRASHES = words('in-trash trashed archived deleted is-deleted');
/** States that end a thing which holds others. */
export const ENDED = words('closed deactivated disabled terminated cancelled canceled suspended inactive deleted');
/** Names of what is known about a person. Two of them make a record of a person. */
export const PERSONAL = words(
  'email email-address phone phone-number first-name last-name firstname lastname full-name fname lname surname given-name family-name birthday birth-date date-of-birth ssn sin tin tax-id home-email home-phone work-email pay-rate dob ethnicity religion disability marital-status emergency-contact bank-account iban passport home-address street postal-code zip city mobile mobile-phone national-id salary gender nationality user-email personal-email billing-address shipping-address',
);

/** To change only these is a small everyday change of anything. */
export const LABEL_FIELDS = words(
  'name title description display-name friendly-name label labels tag tags note notes color colour icon emoji comment summary metadata private-note memo order position sort-order id sync-token sparse etag version updated-at nickname alias due-date updated-stamp safe-update',
);

/** Fields that surely hold SQL, if they hold a text. */
export const SURE_SQL_NAMES = words('sql sqls raw-sql sql-text sql-statement sql-statements sql-query raw-query stmt');
/** Fields that may hold SQL, in the APIs of databases and warehouses. */
export const SQL_NAMES = new Set([
  ...words('query queries statement statements q query-text command script query-string batch'),
  ...SURE_SQL_NAMES,
]);

/** Fields that select what a request changes. Without a condition they select everything. */
export const SELECTORS = words(
  'filter where query selector criteria condition conditions match q scope label-selector field-selector search predicate filters matcher matchers match-all',
);

/** Below such a field is data of people's own. The API takes no name in it for one of its own. */
const OWN_DATA =
  'metadata custom-fields customfields attributes-custom variables-text template-data dynamic-template-data merge-fields personalizations';
/**
 * Below such a field is text that people write, or data of their own. At the top level of a body, an object below one is the
 * thing itself, as in `{"document": {"visibility": "public"}}`, unless it is `OWN_DATA`.
 */
export const CONTENT = words(
  `${OWN_DATA} fields properties doc document text message body content description blocks children rich-text html panels widgets dashboard model definition targets cells values row rows data-points title notes note`,
);
const ownData = words(OWN_DATA);
/** Whether what is below a field is content. @param isObject whether it is an object, and no list */
export const isContentBelow = (name: string, depth: number, isObject: boolean): boolean =>
  CONTENT.has(name) && (depth > 0 || !isObject || ownData.has(name));
