package dev.ebb.plugin.predictive;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BlockClassTest {

  @ParameterizedTest
  @CsvSource({"0, 0", "1, 1", "2, 2", "3, 2", "4, 3", "400, 3"})
  void distinguishesPositionsFromTheEnd(int fromEnd, int position) {
    assertThat(BlockClass.position(BlockClass.of(0, fromEnd, 1, 0))).isEqualTo(position);
  }

  @ParameterizedTest
  @CsvSource({"1, 0", "2, 1", "3, 2", "5, 2", "6, 3", "15, 3", "16, 4", "63, 4", "64, 5", "255, 5"})
  void distinguishesUseCounts(int uses, int group) {
    assertThat(BlockClass.uses(BlockClass.of(0, 0, uses, 0))).isEqualTo(group);
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "1, 1", "2, 2", "7, 3", "511, 9", "512, 10", "100000, 10"})
  void distinguishesDepths(int depth, int group) {
    assertThat(BlockClass.depth(BlockClass.of(0, 0, 1, depth))).isEqualTo(group);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 1, 0", "1, 1, 1", "1, 9, 1", "2, 5, 2", "2, 4, 3", "3, 9, 2", "5, 9, 3", "8, 9, 4",
    "9, 9, 4", "7, 9, 3"
  })
  void distinguishesMatches(int known, int blocks, int group) {
    assertThat(BlockClass.matchGroup(known, blocks)).isEqualTo(group);
  }

  @ParameterizedTest
  @CsvSource({"-1, 13", "0, 0", "1, 1", "500, 9", "4095, 12", "9999999999, 12"})
  void distinguishesOutputLengths(long tokens, int group) {
    assertThat(BlockClass.outputGroup(tokens)).isEqualTo(group);
  }

  @ParameterizedTest
  @CsvSource({"5, 11, 13, 63", "0, 0, 0, 0", "3, 10, 12, 1"})
  void keepsThePartsOfARequestApart(int match, int news, int output, int hint) {
    int blockClass = BlockClass.of(BlockClass.request(match, news, output, hint), 9, 99, 9999);
    assertThat(BlockClass.match(blockClass)).isEqualTo(match);
    assertThat(BlockClass.news(blockClass)).isEqualTo(news);
    assertThat(BlockClass.output(blockClass)).isEqualTo(output);
    assertThat(BlockClass.hint(blockClass)).isEqualTo(hint);
    assertThat(BlockClass.depth(blockClass)).isEqualTo(10);
    assertThat(BlockClass.uses(blockClass)).isEqualTo(5);
    assertThat(BlockClass.isSuperseded(blockClass)).isFalse();
    assertThat(BlockClass.hint(BlockClass.supersede(blockClass))).isEqualTo(hint);
  }
}
