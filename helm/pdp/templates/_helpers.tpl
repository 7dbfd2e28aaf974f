{{- define "pdp.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* At most 52 characters: the test pod adds a suffix. */}}
{{- define "pdp.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" }}
{{- else }}
{{- $name := default .Chart.Name .Values.nameOverride }}
{{- if contains $name .Release.Name }}
{{- .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 52 | trimSuffix "-" }}
{{- end }}
{{- end }}
{{- end }}

{{- define "pdp.selectorLabels" -}}
app.kubernetes.io/name: {{ include "pdp.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "pdp.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "pdp.selectorLabels" . }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | trunc 63 | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "pdp.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "pdp.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "pdp.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}
{{- end }}

{{- define "pdp.policyConfigMap" -}}
{{- default (include "pdp.fullname" .) .Values.existingPolicyConfigMap }}
{{- end }}

{{/*
The policy file. The names under which the cluster reaches the service are
always allowed: a list in the values adds to them and cannot take them away,
since the other pods use them. Loopback names need no entry.
*/}}
{{- define "pdp.policy" -}}
{{- $name := include "pdp.fullname" . }}
{{- $ns := .Release.Namespace }}
{{- $own := list
      $name
      (printf "%s.%s" $name $ns)
      (printf "%s.%s.svc" $name $ns)
      (printf "%s.%s.svc.%s" $name $ns .Values.clusterDomain) }}
{{- $policy := deepCopy .Values.policy }}
{{- $_ := set $policy "allowed_hosts" (concat $own (.Values.policy.allowed_hosts | default list) | uniq) }}
{{- toYaml $policy }}
{{- end }}

{{- define "pdp.scheme" -}}
{{- if .Values.tls.secretName }}https{{ else }}http{{ end }}
{{- end }}

{{/* The same for every container of the chart: nothing that pdp does needs more. */}}
{{- define "pdp.securityContext" -}}
allowPrivilegeEscalation: false
capabilities:
  drop:
    - ALL
privileged: false
readOnlyRootFilesystem: true
runAsNonRoot: true
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "pdp.podSecurityContext" -}}
{{- range $key := list "runAsUser" "runAsGroup" "fsGroup" }}
{{- with get $.Values.podSecurityContext $key }}
{{ $key }}: {{ int64 . }}
{{- end }}
{{- end }}
{{- if .Values.podSecurityContext.fsGroup }}
# At each start Kubernetes would otherwise give what pdp keeps to the group, too.
fsGroupChangePolicy: OnRootMismatch
{{- end }}
runAsNonRoot: true
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{/* What the program would find out only when several pods run, or never. */}}
{{- define "pdp.checkStore" -}}
{{- $store := .Values.store }}
{{- $many := gt (int64 .Values.replicaCount) 1 }}
{{- if and $many (eq $store.type "sqlite") }}
{{- fail "replicaCount: several replicas share no SQLite file, and each would have sessions, tokens and an audit log of its own; set store.type to postgres (or none), or replicaCount to 1" }}
{{- end }}
{{- if and $many .Values.state.persistence.enabled }}
{{- fail "state.persistence: one claim is for one replica; with a database, each pod needs no more than its emptyDir" }}
{{- end }}
{{- if and (eq $store.type "postgres") (not $store.urlSecret.name) }}
{{- fail "store.urlSecret.name: name the Secret with the database's address" }}
{{- end }}
{{- if and (ne $store.type "postgres") $store.urlSecret.name }}
{{- fail "store.urlSecret: is read with store.type postgres only" }}
{{- end }}
{{- end }}
