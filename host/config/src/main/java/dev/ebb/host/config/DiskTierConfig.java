package dev.ebb.host.config;

import dev.ebb.host.admission.AdmissionRule;
import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.SectionKeys;
import dev.ebb.host.config.key.Setting;
import dev.ebb.host.config.key.ValueType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
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

  static final SectionKeys KEYS = new SectionKeys();

  static final ConfigKey<List<Path>> PATH = KEYS.fixed("tiers.disk.path", ValueType.PATHS);
  static final ConfigKey<Long> SIZE = KEYS.fixed("tiers.disk.size", ValueType.SIZE);
  static final ConfigKey<Long> REGION_SIZE = KEYS.fixed("tiers.disk.region-size", ValueType.SIZE);

  /** Which evicted values are written. */
  public static final ConfigKey<AdmissionRule> ADMISSION =
      KEYS.live(
          "tiers.disk.admission",
          new ValueType<>(
              "`all`, `second-use`, `\"reuse=60%\"`, `\"write-budget=500 GiB\"`",
              Setting::admission));

  static final ConfigKey<Duration> READ_TIMEOUT =
      KEYS.fixed("tiers.disk.read-timeout", ValueType.INTERVAL);
  static final ConfigKey<OnStopChoice> ON_STOP =
      KEYS.fixed("tiers.disk.on-stop", ValueType.choice(OnStopChoice.class));
  static final ConfigKey<Duration> SAVE_TIMEOUT =
      KEYS.fixed("tiers.disk.save-timeout", ValueType.INTERVAL);

  static final ConfigKey<Optional<Path>> KEY_FILE =
      KEYS.fixed("tiers.disk.key-file", ValueType.OPTIONAL_PATH);

  static DiskTierConfig read(ConfigReader reader) {
    return new DiskTierConfig(
        reader.paths(PATH),
        reader.get(SIZE),
        reader.get(REGION_SIZE),
        reader.get(ADMISSION),
        reader.get(READ_TIMEOUT),
        reader.get(ON_STOP),
        reader.get(SAVE_TIMEOUT),
        reader.optionalPath(KEY_FILE));
  }

  /** Returns how much longer a stop may take. */
  public Duration stopTime() {
    return isOn() && onStop == OnStopChoice.SAVE ? saveTimeout : Duration.ZERO;
  }

  /** Returns whether there is a disk tier. */
  public boolean isOn() {
    return !paths.isEmpty();
  }
}
