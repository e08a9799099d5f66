// SPDX-License-Identifier: Apache-2.0
#include "statistics/distributions.h"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace collbench::statistics {

double fair_coins_at_most(std::uint64_t successes, std::uint64_t trials) {
  const boost::math::binomial_distribution<double> heads(static_cast<double>(trials), 0.5);
  return boost::math::cdf(heads, static_cast<double>(successes));
}

double binomial_at_least(std::uint64_t successes, std::uint64_t trials, double p) {
  if (successes == 0) return 1;
  const boost::math::binomial_distribution<double> count(static_cast<double>(trials), p);
  return boost::math::cdf(boost::math::complement(count, static_cast<double>(successes - 1)));
}

double normal_upper_tail(double z) {
  return boost::math::cdf(boost::math::complement(boost::math::normal(), z));
}

double student_upper_tail(double t, double degrees) {
  return boost::math::cdf(boost::math::complement(boost::math::students_t(degrees), t));
}

double student_upper_quantile(double p, double degrees) {
  return boost::math::quantile(boost::math::complement(boost::math::students_t(degrees), p));
}

}  // namespace collbench::statistics
