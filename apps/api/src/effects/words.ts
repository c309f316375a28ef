/**
 * The words by which the gateway tells what a request does (docs/reference/effects.md#words). Base forms only: plurals and
 * endings of verbs are found too. A hyphen joins words that count only together. Each verb stands once.
 */

/** `change`: it makes or changes something, and the thing says what that means. `everyday`: a small everyday write. */
export type VerbKind =
  'read' | 'change' | 'everyday' | 'delete' | 'bulk' | 'money' | 'permissions' | 'credentials' | 'publishing' | 'code';

export const VERBS: Readonly<Record<VerbKind, string>> = {
  read: `get list search find query read fetch retrieve show view describe count lookup look check validate preview estimate
    calculate compute compare diff explain browse filter suggest autocomplete parse lint render detect classify moderate
    tokenize inspect simulate evaluate poll tail head peek scan ping wait hash hmac can-i can-access test-iam-permissions test-permissions test-access check-access check-permission check-permissions has-permission has-access is-authorized is-allowed is-member simulate-principal-policy simulate-custom-policy is see aggregate analyze analyse recommend introspect discover
    presign stat exist whoami compile batch-get bulk-get multi-get mget what-if whatif dry-run freebusy
    summarize summarise translate geocode select trace
    create-preview generate-preview create-search run-search perform-search run-report run-check run-query
    eth-call call-static eth-block-number eth-gas-price eth-fee-history eth-chain-id eth-max-priority-fee eth-blob-base-fee
    net-peer-count eth-syncing eth-accounts ask-whether`,
  change: `create add insert update set change edit modify patch put post save write upsert register rename adjust store
    upload import copy clone duplicate move link attach new make define start open begin submit record log append configure
    init increment decrement touch test close complete finish stop cancel schedule reschedule enter reorder sort
    convert transition extend renew book reserve process take give drop-in sign-up generate prepare index manage detach respond accept decline
    reject confirm request report track mutate bulk-change refresh resync recalculate recompute recount amend revise merge-patch ingest turn switch toggle control replace subscribe unsubscribe reset push end
    return format match verify download check-in check-out`,
  everyday: `mark star unstar watch unwatch follow unfollow like unlike react unreact pin unpin bookmark favorite favourite
    acknowledge ack snooze assign unassign comment tag untag label unlabel vote upvote downvote note seen dismiss restore
    undelete untrash unarchive reopen resolve rate annotate unset encrypt transcribe embed vectorize rerank synthesize synthesise speak unvote unrate unbookmark unfavorite unfavourite`,
  delete: `delete remove destroy purge overwrite erase drop truncate wipe trash discard terminate uninstall prune expunge redact forget
    set-head unlink clear flush empty del rm evict decommission deprovision archive shred dequeue pop consume nuke expire invalidate forfeit evacuate`,
  bulk: `export dump backup unload extract`,
  money: `pay refund charge capture transfer payout withdraw purchase buy checkout send-transaction send-raw-transaction send-payment send-money void credit debit settle reimburse fund
    topup top-up redeem order upgrade downgrade donate tip sponsor bill invoice reprice discount disburse remit wire deposit
    sell trade stake resize`,
  permissions: `grant revoke share unshare invite promote demote kick ban unban block unblock suspend unsuspend impersonate
    authorize authorise deauthorize allow deny assume escalate delegate protect unprotect lock unlock activate deactivate
    enable disable mute silence bypass expel whitelist blacklist allowlist denylist join arm disarm quarantine elevate sign`,
  credentials: `rotate reveal decrypt reset-password change-password set-password recover regenerate enroll unenroll`,
  publishing: `send publish unpublish broadcast announce tweet email mail sms dial notify reply forward resend remind call distribute
    syndicate republish crosspost answer`,
  code: `deploy redeploy build rebuild run rerun re-run execute exec invoke trigger dispatch retry release rollback roll-back
    restart reboot shutdown launch provision install apply eval merge rebase approve scale drain reload failover
    cherry-pick resume pause migrate fire kill abort enqueue cordon replay`,
};

/** Words that read where a summary begins with them. `return` in a name may take goods back. */
export const READS_IN_SUMMARIES = `returns when which what where information display has is have can`;

/** Verbs that are things too. A path that ends with nothing else than one of them may make one: `POST /estimate`. */
export const NOUN_READS = `view check estimate filter poll head tail scan stat trace look`;

/** Things. A request that makes, changes or removes one of them has the effect of the same name. */
export const THINGS = {
  /** Small everyday writes concern them. */
  everyday: `comment label tag reaction star draft note vote watcher follower favorite favourite bookmark pin like emoji todo
    checklist check-item reminder assignee attachment highlight rating read-state read-receipt annotation milestone sticker
    viewed remark watch worklog acknowledgement cache cached-content metafield id-label metadata custom-field-value transient no-show mark emoji-reaction reply-reaction embedding completion
    transcription transcript text-to-speech speech-to-text speech-to-speech sound-generation generation read-marker saved-search view-preference estimation estimation-job recipient-estimation recipient-estimation-job
    calculation calculation-job simulation simulation-job validation-job`,
  money: `payment refund charge payout transfer invoice price pricing coupon discount balance bill billing bill-payment
    billpayment credit credit-note creditnote credit-memo gift-card giftcard budget spend spending purchase purchase-order
    wallet mandate payroll salary expense journal-entry journalentry deposit loan plan subscription order draft-order checkout
    phone-number sponsorship fine-tuning finetune fine-tune reserved-instance savings-plan promotion voucher tax tax-rate fee
    tip donation bank-account bank-detail payment-method quote settlement reimbursement dispute chargeback amount sale
    sales-receipt rate-plan promo-code credit-grant vendor-credit seat raw-transaction transaction payment-gateway account-move
    account-payment sale-order claim capture compensation wage bonus commission pay-rate payslip pay-run payrun stock-option
    equity stipend overtime remuneration deduction payout-account payee beneficiary direct-debit standing-order
    payment-link payment-intent payment-order advance installment instalment fine penalty rebate cashback surcharge`,
  permissions: `role permission policy acl grant access access-list access-entry collaborator membership invitation invite admin owner administrator
    delegate protection ruleset firewall security-group security-rule ip-access-list ip-access-control-list allowlist
    whitelist blocklist blacklist denylist ip-address scope visibility mfa sso saml two-factor authorization authorisation
    share sharing branch-protection group-user group-member team-member organization-member org-member workspace-member
    project-member channel-member privilege role-binding cluster-role cluster-role-binding network-policy ingress-rule
    rolebinding clusterrole clusterrolebinding networkpolicy serviceaccount
    legal-hold audit-log silence downtime monitor alarm alert-rule alert-policy permission-set app-role guest session-policy
    consent conditional-access share-link sharing-link decision-setting shared-drive org-role user-group service-account
    iam ownership cors public-access public database-user
    site-setting org-setting organization-setting tenant-setting workspace-setting team-setting security-setting global-setting
    system-setting server-setting admin-setting instance-setting repository-setting project-setting cover garage gate valve
    alarm-control-panel db-user iam-user auto-moderation auto-moderation-rule maintenance-window
    ldap conditional-policy approval approval-request approver access-request access-policy access-rule access-control
    access-token-policy password-policy firewall-rule waf-rule rate-limit-rule custom-domain-policy entitlement trust
    trust-relationship identity-provider idp security-policy retention-setting privacy-setting notification-policy`,
  credentials: `api-key apikey key token secret password credential certificate cert webhook hook forwarding forwarding-address
    auto-forwarding environment-variable env-var envvar env variable oauth-app client-secret private-key ssh-key deploy-key access-key
    signing-key recovery-code connection-string callback contact-point destination sink log-drain drain keystore kubeconfig
    key-pair oauth oauth2 passkey authenticator login-link personal-access-token event-destination snapshot-repository replication factor webhook-subscription event-subscription push-subscription config-var shovel federation-upstream mirror log-forwarder log-destination log-export
    data-export-destination integration connector connection webhook-endpoint app-password service-key access-credential
    basic-auth bind`,
  publishing: `announcement announcement-banner public-dashboard public-link shared-public-url public-url sms press-release
    social-post tweet status-page incident-update statuspage mail-send send-mail public phone-call outbound-call batch-call batch-calling call-campaign voice-call
    push-notification message-batch mass-mail`,
  code: `deployment workflow pipeline build job function script lambda command runbook plugin extension package cron cron-job
    container pod image automation trigger stored-procedure procedure task-definition release migration theme runner feature-flag flag dns dns-record record-set worker
    stateful-set daemon-set replica-set script-tag rule-engine config-map git-ref user-data machine launch-template
    scheduled-task firmware page-rule alias domain edge-config remote-config config-item config-var app-setting
    app-config domain-record template-part shell-command revision traffic traffic-split formation autoscaler auto-scaler
    autoscaling scaling-policy auto-scaling-group process-type system-prompt sync-policy rollout canary hotfix
    environment-config virtual-host ingress listener target-group cache-rule redirect rewrite-rule worker-route
    edge-function cloud-function code-snippet custom-code custom-html tracking-code header-code tracking-script user-script inline-script userscript kv-config serverless-function webhook-handler script-version scheduled-query`,
  /** They cost money as long as they exist. */
  machine: `server instance cluster node node-group node-pool vm droplet virtual-machine load-balancer dedicated-host compute-instance dyno add-on addon resource-pool read-replica database-instance`,
  /** To put one back replaces what is there. */
  backup: `backup snapshot restore-point recovery-point`,
  /** What they say is deleted later. */
  expiry: `lifecycle lifecycle-policy lifecycle-rule retention retention-policy expiration ilm ilm-policy ttl time-to-live`,
  bulk: `export data-export account-export dump takeout`,
  personalData: `customer contact user member person people employee patient candidate applicant lead subscriber recipient
    profile address-book attendee guardian student visitor recording identity email-address prospect passenger
    resident donor audience`,
  /** To send or schedule one of them reaches many. */
  audience: `campaign newsletter single-send singlesend broadcast blast mailing`,
  /** People archive and restore them every day. */
  daily: `notification message email mail thread card task issue ticket item inbox alert`,
  /** Not the things that their last words name. */
  none: `input-token output-token token-count page-token next-token issue-key sort-key project-key key-result routing-key
    partition-key primary-key foreign-key idempotency-key merge-request pull-request merge-request-note env-id`,
} as const;
export type ThingKind = keyof typeof THINGS;

/** Others count on them, so to cancel one takes it away from others. */
export const ENGAGEMENTS = `event meeting booking appointment reservation shipment flight ride trip contract class webinar interview
  visit delivery pickup enrollment enrolment registration stay rental lease order subscription session course plan membership
  transfer envelope campaign domain invitation`;

/** To start or stop one of them changes what runs. */
export const RUNNING = `app application service site server instance vm machine container pod task node cluster stream connector
  worker process environment dyno function agent daemon broker warehouse endpoint replica proxy gateway database flow`;

/** To delete one of them deletes what is in it. */
export const CONTAINERS = `project repository repo database table collection bucket folder directory workspace space org
  organization organisation team list audience index indices namespace vault base board drive channel site store tenant
  account schema dataset keyspace cluster volume context environment group topic queue library catalog vpc thread segment
  stack zone domain realm company shelf notebook album playlist calendar mailbox pool registry data-source data-stream
  warehouse course trash recycle-bin`;

/** Everyday things that belong to a whole team where they stand alone. To delete one takes it from everything that has it. */
export const DEFINITIONS = `tag label milestone category`;

/** Reading one of them returns a secret. */
export const SECRETS = `secret password credential private-key client-secret recovery-code connection-string kubeconfig
  access-token registration-token secret-value decrypted-value decrypted plaintext otp session-token authorization-token signing-secret refresh-token config-var env-var envvar environment-variable dotenv service-key app-password
  private-config connection-uri connection-url master-key storage-key api-key access-key account-key admin-key shared-key signing-key shared-access-key bearer-token id-token temporary-credential`;

/** A name that ends with one of them is about an act, and does not act: `send-checklist`. */
export const ABOUT = `checklist status history log preview report stat statistic setting option config configuration template
  count info detail result event metric summary activity schema type reason error quota limit usage availability eligibility
  requirement version list review progress health state page metadata example docs help form field`;

/** With an act, it says that the act concerns many. */
export const MANY = `bulk batch mass many all multiple by-query`;

/** Where people and things are put, so that they may see more: `add user to group`. */
export const PLACES_OF_MEMBERS = `group team role organization organisation workspace channel project repository board base folder
  calendar list-of-admins space account tenant site drive parent owner`;

/** Where a message reaches only the people who work there. */
export const INTERNAL_PLACES = `channel room thread chat space`;

/** Verbs that are nouns too: a plural behind them makes a name one of things, such as `merge_requests`. */
export const NOUN_VERBS = `merge build release deploy share lock call email mail charge order transfer invoice export refund credit
  debit deposit bill discount run trigger scale install dispatch comment tag label note rate mark watch report record index store
  link start end test schedule request process book reserve access answer pin vote fund tip trade stake push apply fire
  alert resume sms fax notify capture purchase sale claim`;

/** JSON-RPC methods that name in their parameters what they call. */
export const DISPATCHERS = `call execute execute-kw call-kw call-button invoke run-method object-execute-kw dispatch`;
