package dev.ebb.host.tuning;

import com.typesafe.config.Config;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.config.key.SettingValue;
import dev.ebb.host.errors.UserError;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/** All combinations of the values of a policy's settings, or a random sample of them. */
public final class TuningGrid {

  private final String policy;
  private final List<SettingRange> ranges;
  private final List<SettingValue> current;

  /**
   * Creates a grid.
   *
   * @param current the policy's settings as they are configured
   * @throws UserError if a setting has two ranges
   */
  public TuningGrid(String policy, List<SettingRange> ranges, List<SettingValue> current) {
    this.policy = policy;
    this.ranges = List.copyOf(ranges);
    this.current = List.copyOf(current);
    Set<String> keys = new LinkedHashSet<>();
    for (SettingRange range : ranges) {
      if (!keys.add(range.key())) {
        throw new UserError(
            "--set: '%s' is given twice; list all its values in one --set".formatted(range.key()));
      }
    }
  }

  /** Returns the number of combinations; {@link Long#MAX_VALUE} stands for more. */
  public long size() {
    long size = 1;
    for (SettingRange range : ranges) {
      size =
          size > Long.MAX_VALUE / range.values().size()
              ? Long.MAX_VALUE
              : size * range.values().size();
    }
    return size;
  }

  /**
   * Returns the combinations to try.
   *
   * @param most how many at most; if there are more, a random sample
   * @return the current settings first, then the others
   */
  public List<Trial> trials(int most, long seed) {
    List<Trial> trials = new ArrayList<>();
    trials.add(new Trial(PolicySpec.of(policy), Map.of()));
    Set<Config> known = new HashSet<>();
    for (long index : indices(most, seed)) {
      Map<String, String> settings = at(index);
      PolicySpec spec = spec(settings);
      if (!isCurrent(settings) && known.add(spec.settings())) {
        trials.add(new Trial(spec, settings));
      }
    }
    return trials;
  }

  private Set<Long> indices(int most, long seed) {
    Set<Long> indices = new LinkedHashSet<>();
    long size = size();
    if (size <= most) {
      for (long index = 0; index < size; index++) {
        indices.add(index);
      }
      return indices;
    }
    SplittableRandom random = new SplittableRandom(seed);
    while (indices.size() < most) {
      indices.add(random.nextLong(size));
    }
    return indices;
  }

  private Map<String, String> at(long index) {
    Map<String, String> settings = new LinkedHashMap<>();
    long rest = index;
    for (SettingRange range : ranges) {
      int values = range.values().size();
      settings.put(range.key(), range.values().get((int) (rest % values)));
      rest /= values;
    }
    return settings;
  }

  private PolicySpec spec(Map<String, String> settings) {
    String text =
        settings.entrySet().stream()
            .map(each -> each.getKey() + "=" + each.getValue())
            .collect(Collectors.joining(", "));
    return PolicySpec.parse("%s(%s)".formatted(policy, text), "--set");
  }

  private boolean isCurrent(Map<String, String> settings) {
    return settings.entrySet().stream()
        .allMatch(each ->
            current.stream()
                .anyMatch(known ->
                    known.key().equals(each.getKey())
                        && isSame(known.value().toString(), each.getValue())));
  }

  private static boolean isSame(String one, String other) {
    if (one.equals(other)) {
      return true;
    }
    try {
      return new BigDecimal(one).compareTo(new BigDecimal(other)) == 0;
    } catch (NumberFormatException notNumbers) {
      return false;
    }
  }

  /**
   * One combination of settings.
   *
   * @param spec the policy with these settings
   * @param settings the values by key; empty for the current settings
   */
  public record Trial(PolicySpec spec, Map<String, String> settings) {

    public Trial {
      settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
    }

    /** Returns whether these are the current settings. */
    public boolean isCurrent() {
      return settings.isEmpty();
    }
  }
}
