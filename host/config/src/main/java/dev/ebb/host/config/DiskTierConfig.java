package dev.ebb.host.config;

import dev.ebb.host.admission.AdmissionRule;
import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.Section;
import dev.ebb.host.config.key.Setting;
import dev.ebb.host.config.key.ValueType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code ebb.tiers.disk}.
 *
 * @param paths the files or block devices; empty if there is no disk tier
 * @param regionBytes the size of a region, which is nearly the largest value
 * @param keyFile the file of the key that encrypts the files; null if they are not encrypted
 */
public record DiskTierConfig(
    List<Path> paths,
    long sizeBytes,
    long regionBytes,
    AdmissionRule admission,
    Duration readTimeout,
    OnStopChoice onStop,
    Duration saveTimeout,
    @Nullable Path keyFile) {

  /** Which evicted values are written. */
  public static final ConfigKey<AdmissionRule> ADMISSION =
      ConfigKey.live(
          "tiers.disk.admission",
          new ValueType<>(
              "`all`, `second-use`, `\"reuse=60%\"`, `\"write-budget=500 GiB\"`",
              Setting::admission));

  static final Section<DiskTierConfig> SECTION =
      new Section<>(DiskTierConfig.class, "tiers.disk")
          .fixed("path", ValueType.PATHS)
          .fixed("size", ValueType.SIZE)
          .fixed("region-size", ValueType.SIZE)
          .key(ADMISSION)
          .fixed("read-timeout", ValueType.INTERVAL)
          .fixed("on-stop", ValueType.choice(OnStopChoice.class))
          .fixed("save-timeout", ValueType.INTERVAL)
          .fixed("key-file", ValueType.OPTIONAL_PATH);

  /** Returns how much longer a stop may take. */
  public Duration stopTime() {
    return isOn() && onStop == OnStopChoice.SAVE ? saveTimeout : Duration.ZERO;
  }

  /** Returns whether there is a disk tier. */
  public boolean isOn() {
    return !paths.isEmpty();
  }
}
