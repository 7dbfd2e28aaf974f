#!/usr/bin/env bash
# Lints a chart and renders it as it comes, with everything switched on, and with
# odd values; makes sure that the schema refuses what it should; and has the
# program itself read the policy that the chart makes.
#
#   HELM=helm PDP=bin/pdp tools/helm-check.sh helm/pdp
set -euo pipefail

helm=${HELM:-helm}
pdp=${PDP:-bin/pdp}
chart=${1:?usage: tools/helm-check.sh CHART}
failed=0

fail() {
  echo "helm: $*"
  failed=1
}

# renders TEXT ARGUMENT…: the chart renders, and TEXT (fixed) stands in the result.
renders() {
  local want=$1 out
  shift
  if ! out=$("$helm" template check "$chart" --namespace agents "$@" 2>&1); then
    fail "does not render with $*"$'\n'"$out"
  elif ! grep -qF -- "$want" <<<"$out"; then
    fail "rendered with $*, but lacks: $want"
  fi
}

# refuses ARGUMENT…: the values are not accepted.
refuses() {
  if "$helm" template check "$chart" "$@" >/dev/null 2>&1; then fail "accepts $*"; fi
}

# lacks TEXT ARGUMENT…: the chart renders without TEXT.
lacks() {
  local unwanted=$1
  shift
  if "$helm" template check "$chart" "$@" 2>&1 | grep -qF -- "$unwanted"; then
    fail "rendered with $*, but has: $unwanted"
  fi
}

"$helm" lint --strict --quiet "$chart" || fail "lint"

renders '- check-pdp.agents.svc.cluster.local'
renders 'readOnlyRootFilesystem: true'
renders 'sizeLimit: 1Gi'
lacks 'kind: NetworkPolicy'
lacks 'kind: ServiceMonitor'
lacks 'kind: PodDisruptionBudget'

everything=(
  --set networkPolicy.enabled=true
  --set podDisruptionBudget.enabled=true --set replicaCount=3
  --set store.type=postgres --set store.urlSecret.name=pdp-db
  --set serviceMonitor.enabled=true --set serviceMonitor.labels.release=prometheus
  --set 'imagePullSecrets[0].name=pull'
  --set 'extraArgs[0]=--drain-delay=5s'
  --set 'extraEnv[0].name=PDP_LOG_LEVEL' --set 'extraEnv[0].value=debug'
  --set priorityClassName=high --set-string 'nodeSelector.disk=ssd'
  --set 'tolerations[0].key=agents' --set 'tolerations[0].operator=Exists'
  --set podLabels.team=security --set-string 'podAnnotations.a=1'
  --set 'service.annotations.a=b' --set 'serviceAccount.annotations.a=b'
  --set-json 'affinity={"nodeAffinity":{}}'
  --set-json 'topologySpreadConstraints=[{"maxSkew":1}]'
)
renders 'kind: NetworkPolicy' "${everything[@]}"
renders 'podSelector: {}' "${everything[@]}"
renders 'kind: ServiceMonitor' "${everything[@]}"
renders 'minAvailable: 1' "${everything[@]}"
renders 'value: debug' "${everything[@]}"

# Who may call.
renders 'value: anywhere'
lacks 'PDP_ADMIN_TOKEN'
lacks '/etc/pdp-server'
lacks '/etc/pdp-tls'
renders 'scheme: HTTP'
callers=(
  --set auth.anonymous=never
  --set auth.adminTokenSecret.name=admin
  --set 'auth.server.tokens[0].name=ci' --set 'auth.server.tokens[0].role=runtime'
  --set-string "auth.server.tokens[0].sha256=$(printf '%064d' 7)"
)
renders 'value: never' "${callers[@]}"
renders 'secretKeyRef:' "${callers[@]}"
renders '/etc/pdp-server/server.yaml' "${callers[@]}"
renders 'name: check-pdp-server' "${callers[@]}"
tls=(--set tls.secretName=pdp-tls --set tls.clientCAKey=ca.crt --set serviceMonitor.enabled=true)
renders 'scheme: HTTPS' "${tls[@]}"
renders '/etc/pdp-tls/ca.crt' "${tls[@]}"
renders 'https://check-pdp:8080' "${tls[@]}"
renders 'serverName: check-pdp.agents.svc' "${tls[@]}"
renders 'credentials:' "${tls[@]}" --set serviceMonitor.tokenSecret.name=viewer
refuses --set auth.anonymous=everybody
refuses --set auth.adminToken=secret
refuses --set auth.server.oauth.x=y
refuses --set tls.secret=x

# Where things are kept.
renders 'value: /var/lib/pdp/state'
renders 'fsGroupChangePolicy: OnRootMismatch'
lacks 'fsGroupChangePolicy' --set podSecurityContext.fsGroup=null
lacks 'PDP_STORE'
lacks 'kind: PersistentVolumeClaim'
lacks 'type: Recreate'
database=(--set store.type=postgres --set store.urlSecret.name=pdp-db --set store.urlSecret.key=address)
renders 'name: PDP_STORE' "${database[@]}" --set replicaCount=3
renders 'name: pdp-db' "${database[@]}"
renders 'key: address' "${database[@]}"
renders 'sizeLimit: 1Gi' "${database[@]}"
renders 'value: none' --set store.type=none --set replicaCount=3
kept=(--set state.persistence.enabled=true)
renders 'kind: PersistentVolumeClaim' "${kept[@]}"
renders 'helm.sh/resource-policy: keep' "${kept[@]}"
renders 'claimName: check-pdp-state' "${kept[@]}"
renders 'type: Recreate' "${kept[@]}"
lacks 'emptyDir' "${kept[@]}"
lacks 'storageClassName' "${kept[@]}"
renders 'storageClassName: fast' "${kept[@]}" --set state.persistence.storageClassName=fast
renders 'storage: 20Gi' "${kept[@]}" --set state.persistence.size=20Gi
renders 'claimName: mine' "${kept[@]}" --set state.persistence.existingClaim=mine
lacks 'kind: PersistentVolumeClaim' "${kept[@]}" --set state.persistence.existingClaim=mine
refuses --set replicaCount=2
refuses --set replicaCount=2 "${kept[@]}"
refuses --set replicaCount=2 "${database[@]}" "${kept[@]}"
refuses --set store.type=postgres
refuses --set store.urlSecret.name=pdp-db
refuses --set store.type=mysql
refuses --set store.url=postgres://pdp@db/pdp
refuses "${kept[@]}" --set state.persistence.accessMode=ReadWriteMany
refuses --set 'extraEnv[0].name=PDP_STORE' --set 'extraEnv[0].value=none'

# A list of one's own adds to the service's names.
renders '- pdp.example.com' --set 'policy.allowed_hosts={pdp.example.com}'
renders '- check-pdp.agents' --set 'policy.allowed_hosts={pdp.example.com}'
renders '- check-pdp.agents' --set policy.allowed_hosts=null
# Text that YAML would read as something else stays text.
renders "- 'yes: no # x'" --set 'policy.allowed_commands={yes: no # x}'
renders '- "true"' --set-string 'policy.allowed_commands={true}'
renders '- git log --format={{.Name}}' --set-json 'policy.allowed_commands=["git log --format={{.Name}}"]'

renders 'name: a-name-that-is-as-long-as-a-kubernetes-name-may-be' \
  --set fullnameOverride=a-name-that-is-as-long-as-a-kubernetes-name-may-be-and-on
renders '@sha256:' --set "image.digest=sha256:$(printf '%064d' 0)"
renders 'name: mine' --set existingPolicyConfigMap=mine
lacks 'kind: ConfigMap' --set existingPolicyConfigMap=mine
lacks 'kind: ServiceAccount' --set serviceAccount.create=false
renders 'serviceAccountName: default' --set serviceAccount.create=false
lacks 'runAsUser' --set podSecurityContext.runAsUser=null
renders 'replicas: 0' --set replicaCount=0
renders 'minAvailable: 50%' --set podDisruptionBudget.enabled=true --set podDisruptionBudget.minAvailable=50%

refuses --set replicaCout=2
refuses --set image.repo=x
refuses --set policy.allowed_command='{git status}'
refuses --set policy.mode=yolo
refuses --set policy.version=2
refuses --set policy.deny.comands='{git push}'
refuses --set policy.allowed_commands='git status'
refuses --set replicaCount=-1
refuses --set service.port=0
refuses --set service.type=ExternalName
refuses --set image.digest=latest
refuses --set image.repository=
refuses --set podSecurityContext.runAsUser=0
refuses --set podSecurityContext.privileged=true
refuses --set 'extraEnv[0].name=LD_PRELOAD'
refuses --set resources.limit.memory=1Gi
refuses --set fullnameOverride=Upper_Case

# reads ARGUMENT…: the program accepts the policy in the rendered ConfigMap.
reads() {
  local out
  if ! out=$("$helm" template check "$chart" --show-only templates/configmap.yaml "$@" |
    sed -n '/^  policy.yaml: |/,$ { /^    /s/^    //p }' | "$pdp" policy check - 2>&1); then
    fail "pdp refuses the policy made with $*"$'\n'"$out"
  fi
}

reads
reads --set 'policy.allowed_hosts={pdp.example.com}' --set policy.mode=plan --set policy.lexical_writes=trust
reads --set 'policy.allowed_commands={git status,ls -l}' --set 'policy.deny.paths={*.pem}' --set 'policy.tools.deploy.risk=external'

# The program accepts the server file that the chart makes: it goes on to the
# listener's address, which is none.
server=$(mktemp)
trap 'rm -f "$server"' EXIT
"$helm" template check "$chart" --show-only templates/serverconfig.yaml "${callers[@]}" |
  sed -n '/^  server.yaml: |/,$ { /^    /s/^    //p }' >"$server"
if ! { "$pdp" serve --config "$server" --listen nowhere 2>&1 || true; } | grep -q 'write host:port'; then
  fail "pdp refuses the server file"$'\n'"$(cat "$server")"
fi

# The schema knows the keys that the program knows: those of its starter file.
for key in $("$pdp" policy init - | sed -nE 's/^#?([a-z_]+):.*/\1/p' | sort -u); do
  if ! grep -q "^        \"$key\": " "$chart/values.schema.json"; then
    fail "values.schema.json lacks the policy key $key"
  fi
done

if [ "$failed" -eq 0 ]; then echo "helm: lint, rendering and schema are fine"; fi
exit "$failed"
