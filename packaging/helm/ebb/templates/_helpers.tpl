{{- define "ebb.name" -}}
{{- if contains "ebb" .Release.Name -}}{{ .Release.Name | trunc 45 | trimSuffix "-" }}{{- else -}}{{ printf "%s-ebb" (.Release.Name | trunc 40 | trimSuffix "-") }}{{- end -}}
{{- end }}

{{- define "ebb.selector" -}}
app.kubernetes.io/name: ebb
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "ebb.labels" -}}
{{ include "ebb.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "ebb.metadata" -}}
name: {{ include "ebb.name" . }}
namespace: {{ .Release.Namespace }}
labels:
  {{- include "ebb.labels" . | nindent 2 }}
{{- end }}

{{- define "ebb.image" -}}
{{ .Values.image.repository }}{{ with .Values.image.digest }}@{{ . }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "ebb.secret" -}}
{{ .Values.auth.existingSecret | default (include "ebb.name" .) }}
{{- end }}

{{- /* Whether clients connect over TCP, and so need a password. */ -}}
{{- define "ebb.tcp" -}}
{{- if or (eq .Values.mode "pool") .Values.node.tcp }}true{{ end }}
{{- end }}

{{- /* Seconds for a stop: a minute for Ebb, saving to the disk, and moving the pool at the given bandwidth. */ -}}
{{- define "ebb.graceSeconds" -}}
{{- $drain := div (mul .Values.pool.sizeGiB 1024) .Values.cluster.bandwidthMiB | add 60 | int -}}
{{- .Values.gracePeriodSeconds | int | default (add 60 (include "ebb.saveSeconds" .) (ternary $drain 0 (eq .Values.mode "pool"))) }}
{{- end }}
{{- define "ebb.saveSeconds" -}}
{{- ternary (int .Values.disk.saveTimeoutSeconds) 0 .Values.disk.enabled }}
{{- end }}
{{- define "ebb.drainSeconds" -}}
{{- sub (include "ebb.graceSeconds" .) (add 60 (include "ebb.saveSeconds" .)) | max 1 }}
{{- end }}

{{- define "ebb.restricted" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- /* Where clients connect, without a scheme and a password. */ -}}
{{- define "ebb.address" -}}
{{ include "ebb.name" . }}.{{ .Release.Namespace }}.svc:6380
{{- end }}

{{- define "ebb.seeds" -}}
{{- $root := . -}}
{{- range $i := until (min .Values.cluster.nodes 3 | int) -}}
{{- if $i }}, {{ end -}}
"{{ include "ebb.name" $root }}-{{ $i }}.{{ include "ebb.name" $root }}-nodes.{{ $root.Release.Namespace }}.svc:7480"
{{- end -}}
{{- end }}

{{- /* Folders of the machine that engines or later pods use too. */ -}}
{{- define "ebb.machineMounts" -}}
- { name: socket, mountPath: {{ .Values.node.socketFolder }} }
{{- with .Values.node.sharedMemoryFolder }}
- { name: shared-memory, mountPath: {{ . }} }
{{- end }}
{{- if .Values.disk.enabled }}
- { name: disk, mountPath: /disk }
{{- end }}
{{- end }}
