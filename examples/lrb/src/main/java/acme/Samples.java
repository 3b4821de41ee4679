package acme;

import java.util.Arrays;

/** Training samples: features and labels, up to a capacity. */
final class Samples {

  final float[][] features;
  final float[] labels;
  private int size;

  Samples(int capacity) {
    features = new float[capacity][];
    labels = new float[capacity];
  }

  void add(float[] from, float label) {
    features[size] = from;
    labels[size++] = label;
  }

  void clear() {
    Arrays.fill(features, null);
    size = 0;
  }

  int size() {
    return size;
  }

  boolean isFull() {
    return size == labels.length;
  }
}
