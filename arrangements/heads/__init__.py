"""Linear scores of models of scikit-learn, PyTorch and Keras, none of which is imported."""
