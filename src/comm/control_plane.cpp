// SPDX-License-Identifier: Apache-2.0
#include "comm/control_plane.h"

namespace collbench {

std::string ControlPlane::broadcast_text(std::string text) {
  text.resize(broadcast<Bytes>(text.size()));
  broadcast_bytes(text.data(), text.size());
  return text;
}

std::vector<std::string> ControlPlane::all_gather_text(const std::string& mine) {
  const std::vector<Bytes> lengths = all_gather<Bytes>(mine.size());
  Bytes longest = 0;
  for (const Bytes length : lengths) longest = length > longest ? length : longest;
  std::string padded = mine;
  padded.resize(longest);
  std::string all(longest * lengths.size(), '\0');
  all_gather_bytes(padded.data(), longest, all.data());
  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank < lengths.size(); ++rank) {
    texts.push_back(all.substr(rank * longest, lengths[rank]));
  }
  return texts;
}

}  // namespace collbench
