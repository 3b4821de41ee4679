package dev.ebb.helm;

import java.util.List;
import java.util.stream.Stream;

/**
 * Values for which the chart is rendered: each feature in both modes, and many of them together.
 */
final class ValueSets {

  private static final List<String> FEATURES =
      List.of(
          "",
          "image: {repository: registry.example/ebb, tag: '1.2', pullSecrets: [registry]}",
          "image: {digest: 'sha256:" + "0a".repeat(32) + "', pullPolicy: Always}",
          "pool: {sizeGiB: 512, heapMiB: 16384, overheadMiB: 4096}",
          "config: |\n  ebb.eviction { policy = arc, ttl = 2 h }\n  ebb.log.format = text",
          "javaOptions: '-XX:+UseNUMA -Dname=\"quoted\"'",
          "auth: {existingSecret: ebb-passwords}",
          "auth: {usersSecret: ebb-users}",
          "tls: {secret: ebb-tls}",
          "tls: {secret: ebb-tls, clientCertificates: true}",
          "node: {socketFolder: /var/run/kv, sharedMemoryFolder: ''}",
          "node: {tcp: true}",
          "cluster: {nodes: 1, copies: 0}",
          "cluster: {nodes: 9, copies: 2, bandwidthMiB: 4096, tlsSecret: node-certificates}",
          "topology: {source: pod, rackLabel: topology.example/rack}",
          "topology: {source: none}",
          "topology: {rackLabel: topology.example/rack}",
          "disk: {enabled: true}",
          "disk: {enabled: true, sizeGiB: 2000, hostFolder: /mnt/nvme/ebb, storageClass: fast,"
              + " saveTimeoutSeconds: 300}",
          "plugins: {configMaps: [policies, more-policies]}",
          "plugins: {images: ['registry.example/policies@sha256:" + "1b".repeat(32) + "']}",
          "plugins: {copyFrom: [{image: 'registry.example/policies:1', folder: /policies}]}",
          "gracePeriodSeconds: 45",
          "networkPolicy: {enabled: false}",
          "networkPolicy:\n"
              + "  clients: [{podSelector: {matchLabels: {app: vllm}}}, {ipBlock: {cidr:"
              + " 10.0.0.0/8}}]\n"
              + "  monitoring: [{namespaceSelector: {matchLabels: {name: monitoring}}}]\n"
              + "  egress: [{ports: [{port: 5557}]}]",
          "monitoring: {labels: {release: prometheus}, serviceMonitor: true, rules: true, dashboard:"
              + " true}",
          "autoscaling: {enabled: true, maxNodes: 12, gain: 20m}",
          "pod:\n"
              + "  annotations: {note: '1'}\n"
              + "  labels: {team: serving}\n"
              + "  nodeSelector: {accelerator: h200}\n"
              + "  tolerations: [{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}]\n"
              + "  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution:"
              + " {nodeSelectorTerms: [{matchExpressions: [{key: gpu, operator: Exists}]}]}}}\n"
              + "  priorityClass: high",
          String.join(
              "\n",
              "auth: {existingSecret: ebb-passwords, usersSecret: ebb-users}",
              "tls: {secret: ebb-tls, clientCertificates: true}",
              "node: {tcp: true}",
              "cluster: {tlsSecret: node-certificates}",
              "disk: {enabled: true}",
              "plugins: {configMaps: [policies], images: [more:1], copyFrom: [{image: 'p:1', folder:"
                  + " /p}]}",
              "monitoring: {serviceMonitor: true, rules: true, dashboard: true}",
              "autoscaling: {enabled: true}"));

  private ValueSets() {}

  static Stream<String> all() {
    return Stream.of("node", "pool")
        .flatMap(mode -> FEATURES.stream().map(feature -> "mode: " + mode + "\n" + feature));
  }
}
